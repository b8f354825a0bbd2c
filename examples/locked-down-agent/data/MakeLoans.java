import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Writes loans.csv: made-up loan applications, the same bytes each time. */
class MakeLoans {
    /** How many loans have a purpose, and how many of them defaulted. */
    private record Purpose(String name, int loans, int defaults) {}

    // small_business defaults most: 55 of 181 = 0.30386740331491713.
    private static final List<Purpose> PURPOSES = List.of(
            new Purpose("debt_consolidation", 902, 171),
            new Purpose("credit_card", 413, 58),
            new Purpose("home_improvement", 268, 43),
            new Purpose("major_purchase", 197, 27),
            new Purpose("small_business", 181, 55),
            new Purpose("car", 164, 19),
            new Purpose("medical", 142, 31),
            new Purpose("moving", 96, 20),
            new Purpose("vacation", 83, 16),
            new Purpose("wedding", 54, 8));

    public static void main(String... arguments) throws IOException {
        Random random = new Random(2026);
        List<String> loans = new ArrayList<>();
        for (Purpose purpose : PURPOSES) {
            for (int loan = 0; loan < purpose.loans(); loan++) {
                boolean defaulted = loan < purpose.defaults();
                int amount = 1_000 + 500 * random.nextInt(79);
                int term = random.nextInt(3) == 0 ? 60 : 36;
                int income = 24_000 + 1_000 * random.nextInt(120);
                int score = (defaulted ? 580 : 620) + random.nextInt(200);
                loans.add("%s,%d,%d,%d,%d,%d".formatted(purpose.name(), amount, term, income, score, defaulted ? 1 : 0));
            }
        }
        Collections.shuffle(loans, random);
        StringBuilder file =
                new StringBuilder("application_id,purpose,amount,term_months,annual_income,credit_score,defaulted\n");
        for (int loan = 0; loan < loans.size(); loan++) {
            file.append("A%05d,%s\n".formatted(loan + 1, loans.get(loan)));
        }
        Files.writeString(Path.of(arguments.length > 0 ? arguments[0] : "loans.csv"), file);
    }
}
