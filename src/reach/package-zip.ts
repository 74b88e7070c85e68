/**
 * A version as the zip that other clients download. Its files are stored without compression, so that its SHA-256, by
 * which clients check and update, is the same on every machine and in every release of the service.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import type { ZipDigest } from "../../storage/versions/package-digests.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";
import { repoOf } from "../skills/read/content.ts";
import { cachedPackage, type Package } from "../skills/versions/version-cache.ts";

/** Zips that are made for their digest at a time. */
const digestConcurrency = 4;

/** By the ids of versions, which never change. */
const known = new LRUCache<string, ZipDigest>({ max: 20_000 });
const flightsOf = perApp(() => new SingleFlight<ZipDigest>(digestConcurrency));

/** The zip of a version; created and verified once, then read from memory or disk. */
export function openPackageZip(app: App, version: VersionDoc): Promise<Package> {
  return cachedPackage(`${version._id}.stored`, () => openZip(app, version));
}

/** SHA-256 and size of the zip of a version. The zip is made for it once; the digest is kept in the database. */
export async function packageZipDigest(app: App, version: VersionDoc): Promise<ZipDigest> {
  const kept = known.get(version._id);
  if (kept) return kept;
  const digest =
    (await app.storage.packageDigests.findZip(version._id)) ??
    (await flightsOf(app).run(version._id, () => makeDigest(app, version)));
  known.set(version._id, digest);
  return digest;
}

async function makeDigest(app: App, version: VersionDoc): Promise<ZipDigest> {
  const { size, stream } = await openZip(app, version);
  const hash = createHash("sha256");
  for await (const piece of stream as AsyncIterable<Buffer>) hash.update(piece);
  const zip = { sha256: hash.digest("hex"), size };
  await app.storage.packageDigests.record(version, { zip });
  return zip;
}

const openZip = (app: App, version: VersionDoc) =>
  app.repos.openZip(repoOf(version), version.oid, version.digest, "stored");
