package dev.slate.cli.common;

import java.util.List;
import java.util.stream.Collectors;

/** Columns as wide as their widest value. */
final class Table {

    private static final String GAP = "   ";

    private Table() {}

    static String format(List<List<String>> rows) {
        if (rows.isEmpty()) {
            return "";
        }
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? "" : GAP).append(row.get(i));
            line.repeat(' ', widths[i] - row.get(i).length());
        }
        return line.toString().stripTrailing();
    }
}
