package io.atoll.fabric.link;

/**
 * What a rank tells of itself when it refuses one that asks.
 *
 * @param incarnation that it is
 * @param born the incarnation in which its segment was made
 * @param met the highest incarnation of the rank that asks which it has met or shut out, 0 for none
 */
public record Told(int incarnation, int born, int met) {

    /** To those who have not proved that they are ranks of this world. */
    public static final Told NOTHING = new Told(0, 0, 0);
}
