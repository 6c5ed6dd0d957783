// A claim is shown if it matches all filters; experiments and entries of the contents are shown if they have such a claim.
// Without JavaScript, or without filters, everything is shown.
const form = document.querySelector(".filter"), output = form.querySelector("output");
const claims = [...document.querySelectorAll("article.claim")].map(article => ({
  article,
  section: article.closest("section"),
  row: document.querySelector(`tr[data-claim="${CSS.escape(article.dataset.claim)}"]`),
  words: `${article.closest("section").querySelector("h2").textContent} ${article.id} ${article.textContent}`.toLowerCase(),
}));

function filter() {
  const {verdict, origin, half, words} = Object.fromEntries(new FormData(form));
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean), asked = verdict || origin || half || wanted.length;
  const kept = claims.filter(claim => {
    const {article, row} = claim, has = article.dataset;
    const good = (!verdict || has.verdict === verdict) && (!origin || has.origin === origin) && (!half || has.half === half)
      && wanted.every(word => claim.words.includes(word));
    article.hidden = row.hidden = !good;
    return good;
  });
  const sections = new Set(kept.map(claim => claim.section.id));
  document.querySelectorAll(".experiment").forEach(section => section.hidden = asked && !sections.has(section.id));
  document.querySelectorAll("[data-section]").forEach(entry => entry.hidden = asked && !sections.has(entry.dataset.section));
  document.getElementById("claims").hidden = !kept.length;
  document.querySelector(".nothing").hidden = kept.length > 0;
  output.textContent = `${kept.length} of ${claims.length} claims`;
}

form.hidden = false;
["input", "change"].forEach(kind => form.addEventListener(kind, filter));
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
filter();
