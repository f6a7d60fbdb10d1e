package io.atoll.map;

/**
 * Where a key is looked for: from its home on in a block of its owner's, then in those that take that block's place.
 *
 * @param hash whose low bits choose the home
 */
record Path(int owner, long first, long hash) {}
