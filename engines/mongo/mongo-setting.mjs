// Sets a parameter of an opened MongoDB engine, by one command in the wire format: this process has no driver.
const OP_MSG = 2013;
const BSON_DOUBLE = 1;
const BSON_STRING = 2;
const BSON_INT32 = 16;

/** Throws if the engine refuses the command; the value is a string. */
export async function setParameter(engine, name, value) {
  const body = documentOf([int32("setParameter", 1), string(name, value), string("$db", "admin")]);
  // Length, request id, response to, code; then flags and the kind of the one section (all zero but the first two).
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(OP_MSG, 12);
  const { response } = await engine.roundTrip(Buffer.concat([head, body]));
  const one = Buffer.alloc(8);
  one.writeDoubleLE(1);
  if (!response.includes(element(BSON_DOUBLE, "ok", one)))
    throw new Error(
      `the engine does not take ${name}: ${response.toString("latin1").replace(/[^ -~]+/g, " ")}`,
    );
}

function documentOf(elements) {
  const size = Buffer.alloc(4);
  const rest = Buffer.concat([...elements, Buffer.alloc(1)]);
  size.writeInt32LE(size.length + rest.length);
  return Buffer.concat([size, rest]);
}

function element(type, name, value) {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
}

function int32(name, number) {
  const value = Buffer.alloc(4);
  value.writeInt32LE(number);
  return element(BSON_INT32, name, value);
}

function string(name, text) {
  const bytes = Buffer.from(`${text}\0`);
  const size = Buffer.alloc(4);
  size.writeInt32LE(bytes.length);
  return element(BSON_STRING, name, Buffer.concat([size, bytes]));
}
