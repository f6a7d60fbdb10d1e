package io.atoll.disni;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the C compiler says of the installed headers of libibverbs and librdmacm. */
public final class CHeader {

    private static final String INCLUDES = """
            #include <stddef.h>
            #include <stdio.h>
            #include <netinet/in.h>
            #include <poll.h>
            #include <infiniband/verbs.h>
            #include <rdma/rdma_cma.h>
            """;

    private CHeader() {}

    /** Fails where a member of the struct is elsewhere, or of another size, in C. */
    public static void assertSameMembers(StructLayout struct, Path folder) throws Exception {
        assertSame(members(struct, "struct " + struct.name().orElseThrow(), "", 0), folder);
    }

    /** As {@link #assertSameMembers}, and the struct as a whole must be as long: for those that are allocated here. */
    public static void assertSameStruct(StructLayout struct, Path folder) throws Exception {
        String name = "struct " + struct.name().orElseThrow();
        Map<String, Long> expected = members(struct, name, "", 0);
        expected.put("sizeof(" + name + ")", struct.byteSize());
        assertSame(expected, folder);
    }

    /** Fails where a constant expression has another value in C. Skips where there is no compiler or no header. */
    public static void assertSame(Map<String, Long> expected, Path folder) throws Exception {
        assertThat(evaluate(expected.keySet(), folder)).containsExactlyEntriesOf(expected);
    }

    private static Map<String, Long> members(GroupLayout group, String struct, String path, long base) {
        Map<String, Long> members = new LinkedHashMap<>();
        long offset = base;
        for (MemoryLayout member : group.memberLayouts()) {
            if (!(member instanceof PaddingLayout)) {
                String name = path + member.name().orElseThrow();
                members.put("offsetof(" + struct + ", " + name + ")", offset);
                if (member instanceof GroupLayout inner) {
                    members.putAll(members(inner, struct, name + ".", offset));
                } else {
                    members.put("sizeof(((" + struct + " *) 0)->" + name + ")", member.byteSize());
                }
            }
            offset += group instanceof StructLayout ? member.byteSize() : 0;
        }
        return members;
    }

    private static Map<String, Long> evaluate(Collection<String> expressions, Path folder) throws Exception {
        Path source = folder.resolve("expressions.c");
        Path program = folder.resolve("expressions");
        Files.writeString(source, INCLUDES + expressions.stream()
                .map(expression -> "    printf(\"%lld\\n\", (long long) (" + expression + "));\n")
                .collect(joining("", "int main(void) {\n", "    return 0;\n}\n")));
        assumeTrue(compiles(folder),
                "no C compiler with the headers: apt-get install gcc libc6-dev libibverbs-dev librdmacm-dev");
        run(List.of("cc", "-Wno-deprecated-declarations", "-o", program.toString(), source.toString()));
        List<String> values = run(List.of(program.toString())).lines().toList();
        Map<String, Long> result = new LinkedHashMap<>();
        int index = 0;
        for (String expression : expressions) {
            result.put(expression, Long.valueOf(values.get(index++)));
        }
        return result;
    }

    private static boolean compiles(Path folder) throws Exception {
        Path source = Files.writeString(folder.resolve("includes.c"), INCLUDES);
        try {
            Process compiler = new ProcessBuilder("cc", "-fsyntax-only", source.toString()).redirectErrorStream(true)
                    .start();
            compiler.getInputStream().readAllBytes();
            return compiler.waitFor() == 0;
        } catch (IOException noCompiler) {
            return false;
        }
    }

    private static String run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
