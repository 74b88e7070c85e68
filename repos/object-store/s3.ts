/** Objects of a bucket by the S3 API. Uses single requests with their bodies in memory only. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { RepoError } from "../errors.ts";
import type { HttpResponse } from "./http-client.ts";
import { ObjectStoreError, openSignedRequests, type SignedRequests } from "./signed-requests.ts";
import type { ListedObject, ObjectStore, ObjectStoreOptions, ReadPart, StoredBytes } from "./types.ts";
import { elementOf, elementsOf } from "./xml.ts";

const MiB = 1024 * 1024;
/** Size of the parts of large objects; the limit of 10,000 parts allows 156 GB. */
const partBytes = 16 * MiB;
const partConcurrency = 2;
const removeConcurrency = 16;

export function openObjectStore(options: ObjectStoreOptions): ObjectStore {
  const requests = openSignedRequests(options);
  const { prefix: root } = options.location;
  let supportsConditions = true;

  async function putOnce(key: string, body: readonly Buffer[]): Promise<void> {
    if (!supportsConditions) return put(requests, key, body);
    const headers = { "if-none-match": "*" };
    const { status } = await requests.send({ method: "PUT", key, body, headers, accepts: [412, 501] });
    if (status !== 501) return;
    supportsConditions = false;
    await put(requests, key, body);
  }

  /** Responses to a listing, one after another. */
  async function* list(
    prefix: string,
    { delimiter, limit, after }: { delimiter?: string; limit?: string; after?: string | undefined } = {},
  ): AsyncGenerator<string> {
    for (let continuation: string | undefined; ;) {
      const query = {
        "list-type": "2",
        prefix: `${root}${prefix}`,
        delimiter,
        "max-keys": limit,
        "start-after": after === undefined ? undefined : `${root}${after}`,
        "continuation-token": continuation,
      };
      const { body } = await requests.send({ method: "GET", query });
      const xml = body.toString("utf8");
      if (!xml.includes("</ListBucketResult>"))
        throw new RepoError("storage_unavailable", "the object store sends no list, or not all of it");
      yield xml;
      if (elementOf(xml, "IsTruncated") !== "true") return;
      const next = elementOf(xml, "NextContinuationToken");
      if (next === undefined || next === continuation)
        throw new RepoError("storage_unavailable", "the object store does not continue a list");
      continuation = next;
    }
  }

  const relative = (key: string) => key.slice(root.length);

  return {
    put: (key, body) => put(requests, key, body),
    putOnce,
    async putLarge(key, size, read) {
      if (size <= partBytes) return putOnce(key, [await read(0, size)]);
      if ((await sizeOf(requests, key)) !== size) await putParts(requests, key, size, read);
    },
    async get(key, maxBytes) {
      const response = await requests.send({ method: "GET", key, maxBytes, accepts: [404] });
      return isMissing(response) ? undefined : storedBytes(response, response.body.length);
    },
    async getRange(key, { start, length }) {
      const range = start === undefined ? `bytes=-${length}` : `bytes=${start}-${start + length - 1}`;
      const request = {
        method: "GET",
        key,
        headers: { range },
        maxBytes: length,
        accepts: [404, 416],
      } as const;
      const response = await requests.send(request);
      if (isMissing(response)) return undefined;
      if (response.status === 416) return { ...storedBytes(response, 0), bytes: Buffer.alloc(0) };
      const [, size] = /\/(\d+)$/.exec(response.headers["content-range"] ?? "") ?? [];
      if (response.status !== 206 || size === undefined)
        throw new RepoError("storage_unavailable", "the object store does not support ranges");
      return storedBytes(response, Number(size));
    },
    exists: async (key) => (await sizeOf(requests, key)) !== undefined,
    async *list(prefix, after) {
      for await (const xml of list(prefix, { after })) yield* objectsOf(xml, relative);
    },
    async hasAny(prefix) {
      for await (const xml of list(prefix, { limit: "1" })) return elementsOf(xml, "Contents").length > 0;
      return false;
    },
    async *folders(prefix, passed) {
      // The character behind the slash, which all keys below the folder contain.
      const after = passed === undefined ? undefined : `${prefix}${passed}0`;
      for await (const xml of list(prefix, { delimiter: "/", after }))
        for (const folder of elementsOf(xml, "CommonPrefixes"))
          yield relative(elementOf(folder, "Prefix") ?? "").slice(prefix.length, -1);
    },
    async remove(keys) {
      await mapLimit([...keys], removeConcurrency, async (key) => {
        await requests.send({ method: "DELETE", key, accepts: [404] });
      });
    },
    abortUploads: (olderThanMs) => abortUploads(requests, root, olderThanMs),
    close: () => requests.close(),
  };
}

async function put(requests: SignedRequests, key: string, body: readonly Buffer[]): Promise<void> {
  await requests.send({ method: "PUT", key, body });
}

/** True for a missing object; throws for a missing bucket. */
function isMissing(response: HttpResponse): boolean {
  if (response.status !== 404) return false;
  if (elementOf(response.body.toString("utf8"), "Code") === "NoSuchBucket")
    throw new RepoError("storage_unavailable", "the bucket of the object store does not exist");
  return true;
}

function storedBytes({ headers, body }: HttpResponse, size: number): StoredBytes {
  const ageMs = Date.parse(headers.date ?? "") - Date.parse(headers["last-modified"] ?? "");
  return { bytes: body, size, ageMs: Number.isNaN(ageMs) ? 0 : Math.max(0, ageMs) };
}

/** Size of an object; undefined if there is none. */
async function sizeOf(requests: SignedRequests, key: string): Promise<number | undefined> {
  const { status, headers } = await requests.send({ method: "HEAD", key, accepts: [404] });
  return status === 404 ? undefined : Number(headers["content-length"]);
}

function* objectsOf(xml: string, relative: (key: string) => string): Generator<ListedObject> {
  for (const found of elementsOf(xml, "Contents"))
    yield { key: relative(elementOf(found, "Key") ?? ""), size: Number(elementOf(found, "Size")) };
}

async function putParts(requests: SignedRequests, key: string, size: number, read: ReadPart): Promise<void> {
  const begun = await requests.send({ method: "POST", key, query: { uploads: "" } });
  const uploadId = elementOf(begun.body.toString("utf8"), "UploadId");
  if (uploadId === undefined)
    throw new RepoError("storage_unavailable", "the object store did not start the upload");
  try {
    const offsets = Array.from({ length: Math.ceil(size / partBytes) }, (_, part) => part * partBytes);
    const tags: string[] = [];
    await mapLimit(offsets, partConcurrency, async (offset) => {
      const body = [await read(offset, Math.min(partBytes, size - offset))];
      const part = offset / partBytes;
      const query = { partNumber: String(part + 1), uploadId };
      const { headers } = await requests.send({ method: "PUT", key, query, body });
      tags[part] = headers.etag ?? "";
    });
    await completeParts(requests, key, uploadId, tags);
    const stored = await sizeOf(requests, key);
    if (stored !== size)
      throw new RepoError(
        "storage_unavailable",
        `the object store has ${stored} of the ${size} bytes of a pack`,
      );
  } catch (error) {
    await requests
      .send({ method: "DELETE", key, query: { uploadId }, accepts: [404], isOnce: true })
      .catch(() => undefined);
    throw error;
  }
}

async function completeParts(
  requests: SignedRequests,
  key: string,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, part) =>
      `<Part><PartNumber>${part + 1}</PartNumber><ETag>${tag.replaceAll('"', "&quot;")}</ETag></Part>`,
  );
  const body = [Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)];
  // A repeated request may find that the first one has completed the upload: the caller checks the object.
  const response = await requests.send({ method: "POST", key, query: { uploadId }, body, accepts: [404] });
  // The status is sent before the server is done, so a failure may be in the body.
  if (response.status !== 404 && elementOf(response.body.toString("utf8"), "Code") !== undefined)
    throw new ObjectStoreError({ method: "POST", key }, "", response);
}

async function abortUploads(requests: SignedRequests, prefix: string, olderThanMs: number): Promise<number> {
  const { body } = await requests.send({ method: "GET", query: { uploads: "", prefix } });
  let aborted = 0;
  for (const upload of elementsOf(body.toString("utf8"), "Upload")) {
    const [key, uploadId] = [elementOf(upload, "Key"), elementOf(upload, "UploadId")];
    const begunAt = Date.parse(elementOf(upload, "Initiated") ?? "");
    // Some servers list uploads of other prefixes too.
    if (key === undefined || uploadId === undefined || !key.startsWith(prefix)) continue;
    if (!(Date.now() - begunAt >= olderThanMs)) continue;
    await requests.send({
      method: "DELETE",
      key: key.slice(prefix.length),
      query: { uploadId },
      accepts: [404],
    });
    aborted++;
  }
  return aborted;
}
