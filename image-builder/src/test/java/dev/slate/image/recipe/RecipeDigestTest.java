package dev.slate.image.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RecipeDigestTest {
    private static final String BASE = "sha256:" + "0".repeat(64);
    private static final List<String> PARENTS = List.of("sha256:" + "1".repeat(64));

    @Test
    void keepsTheDigestOfARecipeForEver() {
        var recipe = recipe(Map.of("B", "2", "A", "1"), new Step.RunCommand("make"), file("/app/x", 0755));

        assertThat(recipe.digest(BASE))
                .isEqualTo("sha256:3fe9e16bda0b74e59a6ac35524bbe69b249a5ce3a6cc526f082d87f91ef0ec33");
    }

    @Test
    void doesNotDependOnTheOrderOfVariablesAndFiles() {
        var env = new LinkedHashMap<String, String>();
        env.put("B", "2");
        env.put("A", "1");
        var one = recipe(env, files(added("/a", 0), added("/b", 0)));
        var other = recipe(new TreeMap<>(env), files(added("/b", 0), added("/a", 0)));

        assertThat(one.digest(BASE)).isEqualTo(other.digest(BASE));
    }

    @Test
    void dependsOnTheOrderOfSteps() {
        var one = recipe(Map.of(), new Step.RunCommand("a"), new Step.RunCommand("b"));
        var other = recipe(Map.of(), new Step.RunCommand("b"), new Step.RunCommand("a"));

        assertThat(one.digest(BASE)).isNotEqualTo(other.digest(BASE));
    }

    @Test
    void dependsOnTheBase() {
        var recipe = recipe(Map.of());

        assertThat(recipe.digest(BASE)).isNotEqualTo(recipe.digest("sha256:" + "2".repeat(64)));
    }

    @Test
    void tellsValuesApartThatJoinToTheSameText() {
        var one = recipe(Map.of("A", "1B=2"));
        var other = recipe(Map.of("A", "1", "B", "2"));

        assertThat(one.digest(BASE)).isNotEqualTo(other.digest(BASE));
    }

    @Test
    void namesAFileStepWhateverIsBelow() {
        assertThat(key(file("/a", 0), PARENTS)).isEqualTo(key(file("/a", 0), List.of()));
    }

    @Test
    void namesAFileStepByItsMode() {
        assertThat(key(file("/a", 0), PARENTS)).isEqualTo(key(file("/a", 0644), PARENTS));
        assertThat(key(file("/a", 0), PARENTS)).isNotEqualTo(key(file("/a", 0755), PARENTS));
    }

    @Test
    void namesARunStepByWhatIsBelow() {
        assertThat(key(new Step.RunCommand("make"), PARENTS)).isNotEqualTo(key(new Step.RunCommand("make"), List.of()));
    }

    @Test
    void namesARunStepByItsEnvironment() {
        var step = new Step.RunCommand("make");
        var env = new TreeMap<>(Map.of("A", "1"));

        assertThat(key(step, PARENTS)).isNotEqualTo(StepKey.of(step, PARENTS, env, ""));
        assertThat(key(step, PARENTS)).isNotEqualTo(StepKey.of(step, PARENTS, new TreeMap<>(), "/app"));
    }

    private static StepKey key(Step step, List<String> parents) {
        return StepKey.of(step, parents, new TreeMap<>(), "");
    }

    private static ImageRecipe recipe(Map<String, String> env, Step... steps) {
        var settings = new ImageRecipe.Settings(env, "/app", List.of("python3"), "");
        return new ImageRecipe(new BaseSource.DebianSlim(), List.of(steps), settings);
    }

    private static Step file(String path, int mode) {
        return files(added(path, mode));
    }

    private static Step files(AddedFile... files) {
        return new Step.AddFiles(List.of(files));
    }

    private static AddedFile added(String path, int mode) {
        return new AddedFile(path, mode, new AddedFile.Content.Body("ab".repeat(32)));
    }
}
