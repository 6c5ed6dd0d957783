import java.util.Random;
public class Seeded {
  public static void main(String[] a) {
    Random r = new Random(Long.parseLong(a[1]));
    for (int i = 0; i < 40; i++) switch (a[0]) {
      case "nextInt" -> System.out.println(r.nextInt());
      case "nextInt6" -> System.out.println(r.nextInt(6));
      case "nextInt16" -> System.out.println(r.nextInt(16));
      case "nextInt5to21" -> System.out.println(r.nextInt(5, 21));
      case "nextLong" -> System.out.println(r.nextLong());
      case "nextDouble" -> System.out.println(r.nextDouble());
      case "nextFloat" -> System.out.println(r.nextFloat());
      case "product" -> System.out.println((int) (r.nextDouble() * 100));
    }
  }
}
