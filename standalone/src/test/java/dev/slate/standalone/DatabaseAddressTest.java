package dev.slate.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAddressTest {

    @Test
    void readsAConnectionUri() {
        DatabaseAddress address =
                DatabaseAddress.parse("postgresql://sl%40te:p%3Aa+s%2Fs@db.example/records?sslmode=require");

        assertThat(address)
                .isEqualTo(new DatabaseAddress("db.example:5432/records?sslmode=require", "sl@te", "p:a+s/s"));
        assertThat(address.jdbcUrl()).isEqualTo("jdbc:postgresql://db.example:5432/records?sslmode=require");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "jdbc:postgresql://u:hidden@db/records",
                "mysql://u:hidden@db/records",
                "postgresql://db/records",
                "postgresql://u@db/records",
                "postgresql://u:hidden@db",
                "postgresql://u:hid den@db/records"
            })
    void refusesAnythingElseWithoutShowingThePassword(String text) {
        assertThatThrownBy(() -> DatabaseAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("postgresql://user:password@host")
                .hasMessageNotContaining("hid");
    }
}
