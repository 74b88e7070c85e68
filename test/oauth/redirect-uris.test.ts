import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  faultOfRedirectUri,
  isRedirectUriOf,
  isSameRedirectUri,
  targetOf,
  withParameters,
} from "../../src/oauth/redirect-uris.ts";

const web = "https://app.example/cb?x=1";
const local = "http://127.0.0.1:8080/callback";

describe("a redirect URI", () => {
  it("can be registered with https, on loopback addresses with http, and with the scheme of a program", () => {
    const fine = [
      web,
      "https://app.example",
      "https://app.example:8443/",
      local,
      "http://localhost/callback",
      "http://localhost:1",
      "http://[::1]:3000/cb",
      "cursor://anysphere.cursor-retrieval/oauth/callback",
      "vscode://vscode.github-authentication/did-authenticate",
      "com.example.app:/oauth2redirect",
      "com.example.app://oauth",
    ];
    for (const uri of fine) assert.equal(faultOfRedirectUri(uri), undefined, uri);
  });

  it("can't be registered in any form that leads elsewhere or can be read in two ways", () => {
    const bad = [
      "",
      "/callback",
      "app.example/cb",
      "javascript:alert(1)",
      "javascript://app.example/%0aalert(1)",
      "JavaScript://a.b/%0aalert(1)",
      "data:text/html,x",
      "data://a.b/x",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://app.example/x",
      "about:blank",
      "view-source:https://app.example/",
      "ms-msdt:/id",
      "ftp://app.example/cb",
      "ws://app.example/cb",
      "mailto:a@b.c",
      "http://app.example/cb",
      "http://127.0.0.2/cb",
      "http://127.1/cb",
      "http://0.0.0.0/cb",
      "http://localhost.example/cb",
      "http://localhost./cb",
      "http://127.0.0.1.example/cb",
      "http://[::2]/cb",
      "http://localhost:0/cb",
      "http://localhost:99999/cb",
      "http://localhost:080/cb",
      "http://localhost\\@app.example/cb",
      "https://user@app.example/cb",
      "https://user:pass@app.example/cb",
      "https://@app.example/cb",
      "http://x@localhost/cb",
      "https://app.example/cb#part",
      "https://app.example/cb#",
      "https://APP.example/cb",
      "HTTPS://app.example/cb",
      "https://app.example:443/cb",
      "https://app.example/a/../cb",
      "https://app.example/a b",
      "https://app.example/cb\n",
      "https://app.example/\u0000",
      "https://аpp.example/cb",
      "https:app.example/cb",
      "https:\\\\app.example\\cb",
      "com.example.app:callback",
      `https://app.example/${"x".repeat(1000)}`,
    ];
    for (const uri of bad) assert.notEqual(faultOfRedirectUri(uri), undefined, JSON.stringify(uri));
  });

  it("of a request must be the registered one, except for the port of a loopback address", () => {
    const registered = [web, local, "http://localhost/callback", "http://[::1]/callback", "cursor://a.b/cb"];
    const same = [
      ...registered,
      "http://127.0.0.1/callback",
      "http://127.0.0.1:1/callback",
      "http://127.0.0.1:65535/callback",
      "http://localhost:5555/callback",
      "http://[::1]:5555/callback",
    ];
    for (const uri of same) assert.ok(isRedirectUriOf(registered, uri), uri);
    const others = [
      "",
      "https://app.example/cb",
      "https://app.example/cb?x=1&y=2",
      "https://app.example/cb?x=1#",
      "https://app.example/cb/?x=1",
      "https://app.example:8443/cb?x=1",
      "https://app.example:443/cb?x=1",
      "https://App.example/cb?x=1",
      "https://app.example/CB?x=1",
      "https://app.example/%63b?x=1",
      "https://app.example./cb?x=1",
      "https://a@app.example/cb?x=1",
      "https://app.example.evil.example/cb?x=1",
      "https://evil.example/cb?x=1",
      "http://app.example/cb?x=1",
      " https://app.example/cb?x=1",
      "https://app.example/cb?x=1\n",
      "http://127.0.0.1:8080/callback/",
      "http://127.0.0.1:8080/callback?x",
      "http://127.0.0.1:8080/callback#",
      "http://127.0.0.1:8080/Callback",
      "http://127.0.0.1:8080/",
      "http://127.0.0.1:8080",
      "http://127.0.0.1:65536/callback",
      "http://127.0.0.1:0/callback",
      "http://127.0.0.1:/callback",
      "http://127.0.0.1:80/callback",
      "http://127.0.0.1:8080@evil.example/callback",
      "http://a@127.0.0.1:8080/callback",
      "https://127.0.0.1:8080/callback",
      "http://127.0.0.2:8080/callback",
      "http://127.0.0.1.evil.example:8080/callback",
      "http://2130706433:8080/callback",
      "http://LOCALHOST:5555/callback",
      "http://localhost.:5555/callback",
      "http://[0:0:0:0:0:0:0:1]:5555/callback",
      "cursor://a.b:1/cb",
      "cursor://a.b/cb/",
      "vscode://a.b/cb",
    ];
    for (const uri of others) assert.ok(!isRedirectUriOf(registered, uri), JSON.stringify(uri));
    assert.ok(!isRedirectUriOf(["http://127.0.0.1/callback"], "http://localhost/callback"));
    assert.ok(!isRedirectUriOf(["http://localhost/callback"], "http://[::1]/callback"));
  });

  it("on loopback has an empty path where a slash is registered, and the reverse", () => {
    for (const [registered, uri] of [
      ["http://127.0.0.1/", "http://127.0.0.1:33418"],
      ["http://127.0.0.1/", "http://127.0.0.1:33418/"],
      ["http://127.0.0.1", "http://127.0.0.1:33418/"],
      ["http://localhost:1/", "http://localhost"],
    ] as const)
      assert.ok(isRedirectUriOf([registered], uri), `${registered} ${uri}`);
    for (const [registered, uri] of [
      ["http://127.0.0.1/", "http://localhost:33418"],
      ["http://127.0.0.1/", "http://127.0.0.1:33418//"],
      ["http://127.0.0.1/", "http://127.0.0.1:33418?x=/"],
      ["http://127.0.0.1/", "http://127.0.0.1:33418@evil.example"],
      ["https://app.example/", "https://app.example"],
      ["com.example.app:/", "com.example.app:"],
    ] as const)
      assert.ok(!isRedirectUriOf([registered], uri), `${registered} ${uri}`);
  });

  it("of a token request is that to which the code was sent, with its port", () => {
    assert.ok(isSameRedirectUri("http://127.0.0.1:33418", "http://127.0.0.1:33418/"));
    assert.ok(isSameRedirectUri(local, local));
    for (const uri of ["http://127.0.0.1:33419", "http://127.0.0.1", "http://localhost:33418", web])
      assert.ok(!isSameRedirectUri("http://127.0.0.1:33418", uri), uri);
  });

  it("takes parameters in place of its own of the same name", () => {
    assert.equal(
      withParameters("https://a.example/?code=x&y=1", { code: "c&d", state: undefined }),
      "https://a.example/?y=1&code=c%26d",
    );
    assert.equal(
      withParameters("cursor://a.b/cb", { iss: "https://i" }),
      "cursor://a.b/cb?iss=https%3A%2F%2Fi",
    );
    assert.deepEqual(targetOf("com.example.app:/x"), { kind: "program", name: "com.example.app:" });
  });
});
