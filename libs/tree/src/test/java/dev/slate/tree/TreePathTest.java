package dev.slate.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TreePathTest {
    @ParameterizedTest
    @ValueSource(strings = {"/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\0b", "\ud800"})
    void refusesPathsThatAreNotPlain(String path) {
        assertThatThrownBy(() -> new TreePath(path)).isInstanceOf(TreeException.class);
    }

    @Test
    void refusesNamesThatNoFileSystemHolds() {
        assertThatThrownBy(() -> new TreePath("é".repeat(128))).isInstanceOf(TreeException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a b/c\nd", "-x", ".wh.x", "é", "日本", "a\\b"})
    void acceptsOddNames(String path) {
        assertThat(new TreePath(path).value()).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource({"a, a/b", "a.b, a/b", "a, b", "A, a", "é, 日", "\uffee, \ud83d\ude00"})
    void ordersByBytes(String smaller, String greater) {
        assertThat(new TreePath(smaller)).isLessThan(new TreePath(greater));
        assertThat(Arrays.compareUnsigned(
                        smaller.getBytes(StandardCharsets.UTF_8), greater.getBytes(StandardCharsets.UTF_8)))
                .isNegative();
    }

    @Test
    void knowsWhatLiesBelow() {
        assertThat(new TreePath("a/b/c").isBelow(new TreePath("a/b"))).isTrue();
        assertThat(new TreePath("a/bc").isBelow(new TreePath("a/b"))).isFalse();
        assertThat(new TreePath("a").isBelow(TreePath.ROOT)).isTrue();
    }
}
