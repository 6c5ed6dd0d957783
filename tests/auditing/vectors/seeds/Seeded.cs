using System;
class Seeded {
  static void Main(string[] a) {
    var r = new Random(54321);
    for (int i = 0; i < 40; i++) switch (a[0]) {
      case "Next": Console.WriteLine(r.Next()); break;
      case "Next1to100": Console.WriteLine(r.Next(1, 101)); break;
      case "NextDouble": Console.WriteLine(r.NextDouble().ToString("R")); break;
    }
  }
}
