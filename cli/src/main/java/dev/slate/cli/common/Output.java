package dev.slate.cli.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Results on standard output: text for people, or with {@code --json} for programs. */
public final class Output {

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** A column of a list. */
    public record Column<T>(String title, Function<T, Object> value) {}

    public boolean isJson() {
        return json;
    }

    public <T> void list(List<T> items, List<Column<T>> columns) {
        if (json) {
            print(Json.text(items));
            return;
        }
        var rows = new ArrayList<List<String>>();
        rows.add(columns.stream().map(Column::title).toList());
        for (var item : items) {
            rows.add(columns.stream()
                    .map(column -> column.value().apply(item).toString())
                    .toList());
        }
        print(Table.format(rows));
    }

    /** One thing: its JSON form, or rows of name and value. */
    public void one(Object json, Map<String, ?> rows) {
        if (this.json) {
            print(Json.text(json));
        } else {
            print(Table.format(rows.entrySet().stream()
                    .map(row -> List.of(row.getKey(), row.getValue().toString()))
                    .toList()));
        }
    }

    /** One thing that is its own best text, such as a new id. */
    public void value(Object json, String text) {
        print(this.json ? Json.text(json) : text);
    }

    /** Something was done to something: {@code deleted secret X}. */
    public void done(String action, String noun, String name) {
        value(Map.of(action, name), action + " " + noun + " " + name);
    }

    /** Raw bytes, whatever they are. */
    public void copy(InputStream bytes) throws IOException {
        bytes.transferTo(System.out);
        System.out.flush();
    }

    /** The variables that the program was started with. */
    public Map<String, String> environment() {
        return Environment.of(spec);
    }

    public PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private void print(String text) {
        var out = spec.commandLine().getOut();
        if (!text.isEmpty()) {
            out.println(text);
        }
        out.flush();
    }
}
