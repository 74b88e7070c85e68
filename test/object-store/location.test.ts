import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseLocation } from "../../repos/object-store/location.ts";
import { describeConfig, readConfig } from "../../src/config.ts";

describe("the address of a bucket", () => {
  it("has a region, an endpoint and a prefix", () => {
    assert.deepEqual(parseLocation("s3://skills"), {
      endpoint: "https://s3.us-east-1.amazonaws.com",
      region: "us-east-1",
      bucket: "skills",
      prefix: "",
      isPathStyle: false,
    });
    assert.deepEqual(parseLocation("s3://skills/a/b_1/?region=eu-central-1&endpoint=http://127.0.0.1:9000"), {
      endpoint: "http://127.0.0.1:9000",
      region: "eu-central-1",
      bucket: "skills",
      prefix: "a/b_1/",
      isPathStyle: true,
    });
    assert.equal(
      parseLocation("s3://skills?region=cn-north-1").endpoint,
      "https://s3.cn-north-1.amazonaws.com.cn",
    );
    assert.equal(parseLocation("s3://skills", "eu-west-1").region, "eu-west-1");
    assert.equal(parseLocation("s3://skills?endpoint=https://x&pathStyle=false").isPathStyle, false);
  });

  it("is refused with what it must be", () => {
    for (const [text, problem] of [
      ["https://skills.s3.amazonaws.com", /must be s3:\/\/bucket/],
      ["s3://", /bucket/],
      ["s3://Skills", /bucket of 3 to 63/],
      ["s3://key:secret@skills", /no credentials/],
      ["s3://skills/a/../b c", /prefix/],
      ["s3://skills?regoin=x", /unknown parameter regoin/],
      ["s3://skills?region=a/b", /region/],
      ["s3://skills?endpoint=ftp://x", /endpoint/],
      ["s3://skills?endpoint=https://x/path", /without a path/],
      ["s3://skills?pathStyle=yes", /pathStyle/],
    ] as const)
      assert.throws(() => parseLocation(text), problem, text);
  });
});

describe("the configuration of an object store", () => {
  const given = { HOME: "/nonexistent", GIT_STORE: "s3://skills/one", AWS_REGION: "eu-west-1" };
  const keys = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "hidden" };
  const role = { AWS_ROLE_ARN: "arn:role", AWS_WEB_IDENTITY_TOKEN_FILE: "/token" };
  const sourceOf = (env: NodeJS.ProcessEnv) => readConfig({ ...given, ...env }).gitStore!.credentials;

  it("takes the first source of credentials that is configured", () => {
    assert.deepEqual(sourceOf({ ...keys, ...role }), {
      kind: "keys",
      accessKeyId: "AKIA",
      secretAccessKey: "hidden",
      sessionToken: undefined,
    });
    assert.deepEqual(sourceOf({ ...role, AWS_SHARED_CREDENTIALS_FILE: "/file" }), {
      kind: "web-identity",
      tokenFile: "/token",
      roleArn: "arn:role",
      sessionName: "svc",
      endpoint: "https://sts.eu-west-1.amazonaws.com",
    });
    assert.deepEqual(sourceOf({ AWS_SHARED_CREDENTIALS_FILE: "/file", AWS_PROFILE: "work" }), {
      kind: "file",
      path: "/file",
      profile: "work",
    });
    assert.deepEqual(sourceOf({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/x" }), {
      kind: "container",
      url: "http://169.254.170.2/v2/x",
      tokenFile: undefined,
    });
  });

  it("is refused without credentials, and with those of another machine over http", () => {
    assert.throws(() => readConfig(given), /GIT_STORE needs credentials: set AWS_ACCESS_KEY_ID/);
    const AWS_CONTAINER_CREDENTIALS_FULL_URI = "http://metadata.example.com/x";
    assert.throws(() => sourceOf({ AWS_CONTAINER_CREDENTIALS_FULL_URI }), /must have https/);
    assert.throws(() => readConfig({ ...keys, GIT_STORE: "s3://x" }), /bucket of 3 to 63.*GIT_STORE/s);
  });

  it("is printed without secrets", () => {
    const shown = JSON.stringify(describeConfig({ ...given, ...keys }));

    assert.match(shown, /s3:\/\/skills\/one/);
    assert.doesNotMatch(shown, /hidden/);
  });
});
