/** The curve of Ed25519 in plain arithmetic: slow, and derived from the standard only (RFC 8032, section 5.1). */
export const prime = 2n ** 255n - 19n;
const d = mod(-121665n * power(121666n, prime - 2n));
function mod(value: bigint): bigint {
  return ((value % prime) + prime) % prime;
}
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
type Point = [x: bigint, y: bigint];
/** The complete addition of RFC 8032, section 5.1, in affine coordinates. */
function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = mod(d * x1 * x2 * y1 * y2);
  return [
    mod((x1 * y2 + x2 * y1) * power(1n + product, prime - 2n)),
    mod((y1 * y2 + x1 * x2) * power(1n - product, prime - 2n)),
  ];
}
/** Section 5.1.3; undefined for an encoding that is no point of the curve. */
function decode(bytes: Buffer): Point | undefined {
  const encoded = BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
  const y = mod(encoded & (2n ** 255n - 1n));
  const square = mod((y * y - 1n) * power(d * y * y + 1n, prime - 2n));
  let x = power(square, (prime + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (prime - 1n) / 4n));
  if (mod(x * x) !== square) return undefined;
  return [(x & 1n) === encoded >> 255n ? x : mod(-x), y];
}
export function encode(y: bigint, isOdd: 0n | 1n): Buffer {
  const hex = (y | (isOdd << 255n)).toString(16).padStart(64, "0");
  return Buffer.from(Buffer.from(hex, "hex").toReversed());
}
export function isSmallOrder(bytes: Buffer): boolean {
  let point = decode(bytes);
  for (let doubled = 0; doubled < 3 && point; doubled++) point = add(point, point);
  return point !== undefined && point[0] === 0n && point[1] === 1n;
}

const eighth = BigInt(
  `0x${Buffer.from(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex").toReversed()).toString("hex")}`,
);
/** Every encoding of the eight points of small order, including those outside the field. */
export const unsafeKeys = [0n, 1n, prime - 1n, prime, prime + 1n, eighth, mod(-eighth)].flatMap((y) => [
  encode(y, 0n),
  encode(y, 1n),
]);
