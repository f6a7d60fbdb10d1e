package io.atoll.fabric;

/** The operations of a process on a segment. */
public enum Verb {
    READ("read", Kind.READ), //
    READ_RECORDS("readRecords", Kind.READ), //
    WRITE("write", Kind.WRITE), //
    WRITE_BESIDE("writeBeside", Kind.WRITE), //
    COMPARE_AND_EXCHANGE("compareAndExchange", Kind.ATOMIC), //
    GET_AND_SET("getAndSet", Kind.ATOMIC), //
    GET_AND_ADD("getAndAdd", Kind.ATOMIC), //
    GET_AND_BITWISE_OR("getAndBitwiseOr", Kind.ATOMIC), //
    SEARCH("search", Kind.READ), //
    EXCHANGE_FOUND("exchangeFound", Kind.ATOMIC), //
    FLUSH("flush", Kind.FLUSH);

    /** The effect of a verb. */
    public enum Kind {
        READ, WRITE, ATOMIC, FLUSH
    }

    private final String methodName;
    private final Kind kind;

    Verb(String methodName, Kind kind) {
        this.methodName = methodName;
        this.kind = kind;
    }

    /** Returns the name of the verb's method in {@link Fabric} or {@link Batch}, by which failures name the verb. */
    public String methodName() {
        return methodName;
    }

    public Kind kind() {
        return kind;
    }
}
