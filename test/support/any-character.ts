import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as the unit of a string. The `binary` of fast-check keeps a table of all of them, which
 * takes 90 MB and half a second.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((point) => String.fromCodePoint(point < surrogates.first ? point : point + surrogates.count));
