/** Check of an object store before it is used: a problem is one sentence with its remedy. */
import { randomUUID } from "node:crypto";
import { RepoError } from "../errors.ts";
import { describeLocation, type StoreLocation } from "./location.ts";
import { openObjectStore } from "./s3.ts";
import { ObjectStoreError } from "./signed-requests.ts";
import type { ObjectStoreOptions } from "./types.ts";

const actions =
  "s3:ListBucket, s3:ListBucketMultipartUploads, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload";
const probeBytes = 64;

/**
 * Writes, reads, lists and removes an object. Returns whether a write can depend on the absence of the object, which
 * the service does not require. Throws an Error with a sentence for the operator.
 */
export async function probeObjectStore(options: ObjectStoreOptions): Promise<{ isConditional: boolean }> {
  const objects = openObjectStore(options);
  const key = `probe/${randomUUID()}`;
  const bytes = Buffer.alloc(probeBytes, "probe");
  try {
    await objects.hasAny("t/");
    await objects.put(key, [bytes]);
    const [whole, part] = [
      await objects.get(key, probeBytes),
      await objects.getRange(key, { start: 5, length: 7 }),
    ];
    const isListed = await objects.hasAny(key);
    await objects.putOnce(key, [Buffer.alloc(probeBytes, "other")]);
    const isConditional = (await objects.get(key, probeBytes))?.bytes.equals(bytes) === true;
    await objects.remove([key]);
    const isRight =
      whole?.bytes.equals(bytes) === true && part?.bytes.equals(bytes.subarray(5, 12)) === true && isListed;
    if (!isRight || (await objects.exists(key)))
      throw new Error(
        `The object store of ${describeLocation(options.location)} does not behave like S3: reads and lists don't ` +
          "return what was written.",
      );
    return { isConditional };
  } catch (error) {
    throw explained(error, options.location);
  } finally {
    objects.close();
  }
}

function explained(error: unknown, location: StoreLocation): unknown {
  if (!(error instanceof RepoError)) return error;
  const sentence =
    error instanceof ObjectStoreError
      ? explainRefusal(error, location)
      : `The object store of ${describeLocation(location)} can't be used: ${error.message}.`;
  return new Error(sentence, { cause: error });
}

function explainRefusal(
  { reason, status, serverTime, region, message }: ObjectStoreError,
  location: StoreLocation,
) {
  const { bucket, endpoint } = location;
  const at = describeLocation(location);
  if (reason === "NoSuchBucket" || (status === 404 && reason === "NotFound"))
    return `The bucket ${bucket} does not exist at ${endpoint}: create it, or correct GIT_STORE.`;
  if (reason === "RequestTimeTooSkewed") {
    const minutes = Math.round(Math.abs((serverTime ?? Date.now()) - Date.now()) / 60_000);
    return `The clock of this machine differs by ${minutes} minutes from that of ${endpoint}: synchronize it (NTP).`;
  }
  if (/^(SignatureDoesNotMatch|InvalidAccessKeyId|InvalidToken|ExpiredToken)/.test(reason))
    return `The credentials for ${at} are not valid (${reason}): correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or their source.`;
  if (status === 301 || reason === "AuthorizationHeaderMalformed")
    return `The bucket ${bucket} is in another region${region === undefined ? "" : `, ${region}`}: set region in GIT_STORE.`;
  if (status === 403) return `The credentials don't give access to ${at}: allow ${actions}.`;
  return `The object store of ${at} can't be used: ${message}.`;
}
