// Writes random messages of every type @meshtastic/protobufs knows of FromRadio, ToRadio and AdminMessage, as
// JSON lines for tests/proto/vectors.h: the schema first, then `{type, hex, value}`.
//
// Usage: node encode.mjs [SEED [ROUNDS]]
import { create, toBinary, isFieldSet, ScalarType } from "@bufbuild/protobuf";
import * as protobufs from "@meshtastic/protobufs";

const seed = Number(process.argv[2] ?? 1);
const rounds = Number(process.argv[3] ?? 1);
const IMPLICIT_PRESENCE = 2;

let state = seed >>> 0;
function random() {
  // A 32-bit xorshift: the same seed gives the same file everywhere.
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 4294967296;
}
if (state === 0) state = 1;
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const randomInteger = {
  [ScalarType.UINT32]: () => pick([0, 1, 127, 128, below(65536), below(4294967296), 4294967295]),
  [ScalarType.FIXED32]: () => pick([0, 1, below(4294967296), 4294967295]),
  [ScalarType.SFIXED32]: () => pick([0, -1, below(2147483648), -2147483648]),
  [ScalarType.INT32]: () => pick([0, 1, -1, below(2147483648), 2147483647, -2147483648]),
  [ScalarType.SINT32]: () => pick([0, 1, -1, below(2147483648), 2147483647, -2147483648]),
  [ScalarType.UINT64]: () => pick([0n, 1n, BigInt(below(4294967296)) << 24n, 18446744073709551615n]),
};

function scalar(type) {
  if (type === ScalarType.BOOL) return random() < 0.5;
  if (type === ScalarType.FLOAT) return Math.fround(pick([0, 1, -1, random() * 1e6 - 5e5, 1e-30, -3.4e38]));
  if (type === ScalarType.DOUBLE) return pick([0, 1, -1, random() * 1e12]);
  if (type === ScalarType.STRING) return pick(["", "x", "Grüße 🔋", "a".repeat(below(200))]);
  if (type === ScalarType.BYTES) return Uint8Array.from({ length: pick([0, 1, 32, below(60)]) }, () => below(256));
  if (!(type in randomInteger)) throw new Error(`no generator for scalar type ${type}`);
  return randomInteger[type]();
}

function one(field, depth) {
  if (field.message) return message(field.message, depth + 1);
  if (field.enum) return pick(field.enum.values).number;
  return scalar(field.scalar);
}

function element(field, depth) {
  if (field.listKind === "message") return message(field.message, depth + 1);
  if (field.listKind === "enum") return pick(field.enum.values).number;
  return scalar(field.scalar);
}

// A random message; `chosen` fixes the variant of its first oneof.
function message(schema, depth = 0, chosen = undefined) {
  const init = {};
  for (const field of schema.fields) {
    if (field.oneof) continue;
    if (random() < 0.3 || (field.message && depth > 4)) continue;
    if (field.fieldKind === "map") throw new Error(`${schema.typeName}.${field.name} is a map`);
    init[field.localName] =
      field.fieldKind === "list" ? Array.from({ length: below(4) }, () => element(field, depth)) : one(field, depth);
  }
  for (const oneof of schema.oneofs) {
    const field = chosen?.oneof === oneof ? chosen : pick(oneof.fields);
    if (field.message && depth > 4) continue;
    init[oneof.localName] = { case: field.localName, value: one(field, depth) };
  }
  return create(schema, init);
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");

function plain(field, value) {
  if (field.message) return described(field.message, value);
  if (field.scalar === ScalarType.BYTES) return hex(value);
  if (typeof value === "bigint") return value.toString();
  return value;
}

// What is on the wire of a message, by the names of the schema.
function described(schema, value) {
  const out = {};
  for (const field of schema.fields) {
    if (!isFieldSet(value, field)) continue;
    const held = field.oneof ? value[field.oneof.localName].value : value[field.localName];
    out[field.name] = field.fieldKind === "list" ? held.map((each) => plain(field, each)) : plain(field, held);
  }
  return out;
}

// Every message type that can be reached from `roots`.
function reachable(roots) {
  const found = new Map();
  const visit = (schema) => {
    if (found.has(schema.typeName)) return;
    found.set(schema.typeName, schema);
    for (const field of schema.fields) if (field.message) visit(field.message);
  };
  roots.forEach(visit);
  return [...found.values()];
}

const shortName = (schema) => schema.typeName.replace(/^meshtastic\./, "");
const print = (object) => console.log(JSON.stringify(object));

function line(schema, value, more = {}) {
  return { type: shortName(schema), hex: hex(toBinary(schema, value)), value: described(schema, value), ...more };
}

// A telemetry message on its way from node 7, as a device hands it to its client.
function delivered(value) {
  const data = create(protobufs.Mesh.DataSchema, {
    portnum: protobufs.Portnums.PortNum.TELEMETRY_APP,
    payload: toBinary(protobufs.Telemetry.TelemetrySchema, value),
  });
  const packet = create(protobufs.Mesh.MeshPacketSchema, {
    from: 7,
    payloadVariant: { case: "decoded", value: data },
  });
  return create(protobufs.Mesh.FromRadioSchema, { payloadVariant: { case: "packet", value: packet } });
}

const types = reachable([
  protobufs.Mesh.FromRadioSchema,
  protobufs.Mesh.ToRadioSchema,
  protobufs.Mesh.RoutingSchema,
  protobufs.Telemetry.TelemetrySchema,
  protobufs.Admin.AdminMessageSchema,
]);

print({
  schema: Object.fromEntries(
    types.map((type) => [shortName(type), Object.fromEntries(type.fields.map((field) => [field.name, field.number]))]),
  ),
});
for (let round = 0; round < rounds; ++round) {
  for (const type of types) {
    const variants = type.oneofs.flatMap((oneof) => oneof.fields);
    for (const chosen of variants.length > 0 ? variants : [undefined]) print(line(type, message(type, 0, chosen)));
  }
  for (const variant of protobufs.Telemetry.TelemetrySchema.oneofs[0].fields) {
    const value = message(protobufs.Telemetry.TelemetrySchema, 0, variant);
    print(
      line(protobufs.Mesh.FromRadioSchema, delivered(value), {
        telemetry: described(protobufs.Telemetry.TelemetrySchema, value),
      }),
    );
  }
}
