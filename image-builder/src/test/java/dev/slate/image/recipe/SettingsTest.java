package dev.slate.image.recipe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "A=B", "1A", "A B"})
    void refusesNamesThatAreNoVariables(String name) {
        assertThatThrownBy(() -> new ImageRecipe.Settings(Map.of(name, "x"), "", List.of(), ""))
                .isInstanceOf(PlatformException.class)
                .hasMessageStartingWith("env: ");
    }

    @Test
    void refusesValuesWithNul() {
        assertThatThrownBy(() -> new ImageRecipe.Settings(Map.of("A", "x\0y"), "", List.of(), ""))
                .hasMessageContaining("no NUL");
    }

    @Test
    void refusesRelativeFolders() {
        assertThatThrownBy(() -> new ImageRecipe.Settings(Map.of(), "app", List.of(), ""))
                .hasMessageContaining("absolute path");
    }

    @Test
    void refusesUsersThatAreNoNames() {
        assertThatThrownBy(() -> new ImageRecipe.Settings(Map.of(), "", List.of(), "root; id"))
                .hasMessageStartingWith("user: ");
    }
}
