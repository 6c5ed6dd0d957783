const read = (id, change) => JSON.parse(document.getElementById(id).textContent, change);
const themes = read("themes"), palettes = read("colours");
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => dark.matches ? "dark" : "light";
const config = {responsive: true, displaylogo: false, modeBarButtons: [["toImage", "resetScale2d"]]};
let figures;

// Figures name colours of the palette; each theme maps them to colours with enough contrast on its background.
function recolour() {
  const own = new Map(Object.entries(palettes[theme()]));
  figures = read("figures", (key, value) => own.get(value) ?? value);
}

function draw(box) {
  const {data, layout} = structuredClone(figures[box.dataset.figure]);
  return Plotly.react(box, data, {...layout, template: themes[theme()]}, config);
}

// One control switches every figure of its group.
function control(group) {
  const plots = [...group.querySelectorAll("[data-figure]")], place = group.querySelector(".controls");
  const menu = box => figures[box.dataset.figure].menu;
  const labels = menu(plots[0]).map(choice => choice.label);
  const choose = index => {
    group.dataset.chosen = index;
    plots.forEach(box => menu(box)[index] && Plotly.update(box, ...structuredClone(menu(box)[index].args)));
  };
  if (labels.length > 8) {
    const select = document.createElement("select");
    labels.forEach(label => select.add(new Option(label)));
    select.ariaLabel = "what to show";
    select.onchange = () => choose(select.selectedIndex);
    place.append(select);
  } else if (labels.length > 1) {
    const buttons = labels.map((label, index) => {
      const button = Object.assign(document.createElement("button"), {type: "button", textContent: label, ariaPressed: index === 0});
      button.onclick = () => { buttons.forEach(other => other.ariaPressed = other === button); choose(index); };
      return button;
    });
    place.append(...buttons);
  }
  return async () => {
    await Promise.all(plots.map(draw));
    if (group.dataset.chosen) choose(Number(group.dataset.chosen));
  };
}

recolour();
const redraws = [...document.querySelectorAll(".group")].map(control);
redraws.forEach(redraw => redraw());
dark.addEventListener("change", () => { recolour(); redraws.forEach(redraw => redraw()); });

// A sequence is one tab stop. A tap or an arrow key selects a number, and the line below shows its guess.
for (const cells of document.querySelectorAll(".cells")) {
  const numbers = [...cells.children], told = cells.nextElementSibling;
  let chosen = -1;
  const choose = index => {
    numbers[chosen]?.classList.remove("chosen");
    chosen = Math.max(0, Math.min(numbers.length - 1, index));
    numbers[chosen].classList.add("chosen");
    numbers[chosen].scrollIntoView({block: "nearest"});
    told.textContent = numbers[chosen].title;
  };
  const steps = {ArrowRight: () => chosen + 1, ArrowLeft: () => chosen - 1, Home: () => 0, End: () => numbers.length - 1};
  cells.onclick = event => numbers.includes(event.target) && choose(numbers.indexOf(event.target));
  cells.onkeydown = event => {
    if (!steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(steps[event.key]());
  };
}

for (const shell of document.querySelectorAll(".shell")) {
  const button = shell.querySelector("button"), text = shell.querySelector("pre");
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(text.textContent); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(text); button.textContent = "Selected"; }
  };
}
