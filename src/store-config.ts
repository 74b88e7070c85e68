/** The object store of the repositories, with the source of its credentials, from the configuration. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import type { CredentialSource } from "../repos/object-store/credentials.ts";
import { parseLocation } from "../repos/object-store/location.ts";
import type { ObjectStoreOptions } from "../repos/object-store/types.ts";
import type { Environment } from "./environment.ts";

type Given = z.infer<typeof Environment>;

/** Address of the credentials on Amazon ECS. */
const containerHost = "http://169.254.170.2";
/** Hosts of container platforms, whose credentials are served without encryption on the machine itself. */
const localHosts = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|169\.254\.170\.(2|23)|\[fd00:ec2::23\])$/;

/** Undefined without an object store. Throws an Error with a sentence if it has no credentials. */
export function readStore(e: Given, home: string | undefined): ObjectStoreOptions | undefined {
  if (e.GIT_STORE === undefined) return undefined;
  const location = parseLocation(e.GIT_STORE, e.AWS_REGION);
  const credentials = findCredentials(e, location.region, home);
  if (credentials === undefined)
    throw new Error(
      "The configuration is not usable:\n✖ GIT_STORE needs credentials: set AWS_ACCESS_KEY_ID and " +
        "AWS_SECRET_ACCESS_KEY, AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE, or AWS_SHARED_CREDENTIALS_FILE",
    );
  return { location, credentials };
}

/** The first source that is configured, in the order of the AWS SDKs. */
function findCredentials(e: Given, region: string, home: string | undefined): CredentialSource | undefined {
  if (e.AWS_ACCESS_KEY_ID !== undefined && e.AWS_SECRET_ACCESS_KEY !== undefined) {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = e;
    return { kind: "keys", accessKeyId, secretAccessKey, sessionToken: e.AWS_SESSION_TOKEN };
  }
  if (e.AWS_ROLE_ARN !== undefined && e.AWS_WEB_IDENTITY_TOKEN_FILE !== undefined)
    return {
      kind: "web-identity",
      tokenFile: e.AWS_WEB_IDENTITY_TOKEN_FILE,
      roleArn: e.AWS_ROLE_ARN,
      sessionName: e.AWS_ROLE_SESSION_NAME,
      endpoint: e.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.amazonaws.com`,
    };
  const shared = home === undefined ? undefined : path.join(home, ".aws", "credentials");
  const file =
    e.AWS_SHARED_CREDENTIALS_FILE ?? (shared !== undefined && existsSync(shared) ? shared : undefined);
  if (file !== undefined) return { kind: "file", path: file, profile: e.AWS_PROFILE };
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = e;
  const url = relative === undefined ? full : `${containerHost}${relative}`;
  if (url === undefined) return undefined;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !localHosts.test(hostname))
    throw new Error(
      "The configuration is not usable:\n✖ AWS_CONTAINER_CREDENTIALS_FULL_URI must have https, or an address of this machine",
    );
  return { kind: "container", url, tokenFile: e.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE };
}
