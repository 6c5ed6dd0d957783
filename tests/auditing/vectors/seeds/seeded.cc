#include <random>
#include <cstdio>
#include <cstdlib>
#include <string>
int main(int, char **argv) {
  std::string what = argv[1];
  std::mt19937 g(54321); std::default_random_engine d(54321); std::minstd_rand m(54321);
  std::uniform_int_distribution<int> die(1, 6), hundred(0, 99);
  std::uniform_real_distribution<double> real(0, 1);
  srand(54321); srand48(54321);
  for (int i = 0; i < 40; i++) {
    if (what == "mt19937_die") printf("%d\n", die(g));
    if (what == "mt19937_real") printf("%.17g\n", real(g));
    if (what == "mt19937_words") printf("%lu\n", (unsigned long)g());
    if (what == "default_engine_hundred") printf("%d\n", hundred(d));
    if (what == "minstd_words") printf("%lu\n", (unsigned long)m());
    if (what == "rand") printf("%d\n", rand());
    if (what == "rand_die") printf("%d\n", rand() % 6 + 1);
    if (what == "rand_fraction") printf("%f\n", (double)rand() / RAND_MAX);
    if (what == "drand48") printf("%.10f\n", drand48());
    if (what == "lrand48") printf("%ld\n", lrand48());
  }
}
