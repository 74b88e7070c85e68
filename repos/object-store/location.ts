/** Address of a bucket: `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`. */
export interface StoreLocation {
  /** Origin of the server. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  /** Whether the bucket is in the path, not in the host name. */
  isPathStyle: boolean;
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const regionPattern = /^[a-z0-9-]{1,40}$/;
const segmentPattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const parameters = ["region", "endpoint", "pathStyle"];

/** Throws an Error whose message is a part of a sentence: what the address must be. */
export function parseLocation(text: string, defaultRegion = "us-east-1"): StoreLocation {
  if (!URL.canParse(text) || !text.startsWith("s3://"))
    throw new Error("must be s3://bucket/prefix?region=…, with a bucket and no other scheme");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new Error("must have no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const bucket = url.host;
  if (!bucketPattern.test(bucket))
    throw new Error("must begin with s3:// and a bucket of 3 to 63 characters: a-z, 0-9, dots and hyphens");
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  if (!segments.every((segment) => segmentPattern.test(segment)))
    throw new Error("must have a prefix of letters, digits, dots, hyphens, underscores and slashes");
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined)
    throw new Error(`has the unknown parameter ${unknown}: use ${parameters.join(", ")}`);
  const region = url.searchParams.get("region") ?? defaultRegion;
  if (!regionPattern.test(region)) throw new Error("must have a region such as eu-central-1");
  const endpoint = url.searchParams.get("endpoint");
  const pathStyle = url.searchParams.get("pathStyle") ?? (endpoint === null ? "false" : "true");
  if (pathStyle !== "true" && pathStyle !== "false") throw new Error("must have pathStyle=true or false");
  return {
    endpoint: endpoint === null ? defaultEndpoint(region) : originOf(endpoint),
    region,
    bucket,
    prefix: segments.map((segment) => `${segment}/`).join(""),
    isPathStyle: pathStyle === "true",
  };
}

function defaultEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

function originOf(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new Error("must have an endpoint with http:// or https://, without credentials");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new Error("must have an endpoint without a path");
  return url.origin;
}

/** The address for messages: it identifies the bucket and has no secret. */
export const describeLocation = ({ bucket, prefix, endpoint }: StoreLocation) =>
  `s3://${bucket}/${prefix} at ${endpoint}`;
