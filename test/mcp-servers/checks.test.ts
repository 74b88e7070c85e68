import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { likelySecret, namesSecret } from "../../contract/checks/secret-values.ts";
import { limits } from "../../contract/limits.ts";
import { local, remote, setUpServers, type Fixture } from "./fixture.ts";

const fixture = await setUpServers();

const fixed = (name: string, value: string) => ({ name, kind: "fixed", value });
const member = (name: string, more: object = {}) => ({
  name,
  kind: "member",
  label: name,
  secret: true,
  required: true,
  ...more,
});

const githubToken = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6".slice(0, 36)}`;

/** Bodies that are refused, with a part of the message. */
const refused: [what: string, body: object, message: RegExp][] = [
  ["a stdio server without a command", { transport: "stdio" }, /needs the command/],
  ["a stdio server with a URL", { ...local, url: remote.url }, /has no URL/],
  ["a stdio server with headers", { ...local, headers: [fixed("X-A", "b")] }, /has no headers/],
  ["a remote server without a URL", { transport: "http" }, /needs a URL/],
  ["a remote server with a command", { ...remote, command: "npx" }, /has no command/],
  ["a remote server with an environment", { ...remote, env: [fixed("A", "b")] }, /has no environment/],
  ["an unknown transport", { transport: "ws", url: remote.url }, /transport/],
  ["an unencrypted URL", { transport: "http", url: "http://mcp.example.com/mcp" }, /not encrypted/],
  ["another scheme", { transport: "http", url: "file:///etc/passwd" }, /begin with https/],
  ["a script", { transport: "http", url: "javascript:alert(1)" }, /begin with https/],
  ["a URL with a password", { transport: "http", url: "https://a:b@mcp.example.com" }, /user name/],
  ["a URL with a fragment", { transport: "http", url: "https://mcp.example.com/#x" }, /fragment/],
  ["a host that ends early", { ...remote, url: "https://evil.example\\.mcp.example.com/mcp" }, /xn--/],
  ["a host of look-alike letters", { ...remote, url: "https://mcp.ex\u0430mple.com/mcp" }, /xn--/],
  ["a host with a look-alike slash", { ...remote, url: "https://a.example\u2044mcp.evil.example" }, /xn--/],
  ["a host with encoded characters", { ...remote, url: "https://mcp%2eexample.com/mcp" }, /xn--/],
  ["a URL with an empty user name", { ...remote, url: "https://@mcp.example.com/mcp" }, /xn--/],
  ["a URL with a newline", { transport: "http", url: "https://mcp.example.com/\nx" }, /one line/],
  [
    "a placeholder for nothing",
    { transport: "http", url: "https://x.example.com/{tenant}" },
    /names no value/,
  ],
  [
    "a placeholder for an optional value in a URL",
    { ...remote, url: "https://{t}.example.com", variables: [member("t", { required: false })] },
    /must be required/,
  ],
  ["a value that nothing uses", { ...remote, variables: [member("unused")] }, /Nothing uses/],
  ["a variable with a hyphen", { ...local, env: [fixed("MY-VAR", "x")] }, /letters, digits and underscores/],
  ["a variable with a line break", { ...local, env: [fixed("A\nB", "x")] }, /letters, digits/],
  ["a prototype", { ...local, env: [fixed("__proto__", "x")] }, /reserved/],
  ["a header with a colon", { ...remote, headers: [fixed("X: y", "z")] }, /separators/],
  [
    "a header of the connection",
    { ...remote, headers: [fixed("Host", "evil.example.com")] },
    /set the header/,
  ],
  ["a header of the protocol", { ...remote, headers: [fixed("Mcp-Session-Id", "1")] }, /set the header/],
  ["a header value with CRLF", { ...remote, headers: [fixed("X-A", "b\r\nX-B: c")] }, /one line/],
  [
    "two headers that differ by case",
    { ...remote, headers: [fixed("X-A", "b"), fixed("x-a", "c")] },
    /two values/,
  ],
  ["a reference to a member's variable", { ...remote, url: "https://x.example.com/${env:HOME}" }, /replace/],
  ["one in OpenCode's form", { ...local, args: ["{env:AWS_SECRET_ACCESS_KEY}"] }, /replace/],
  ["a lone surrogate", { ...local, args: ["\ud800"] }, /one line/],
  ["a known token", { ...local, env: [fixed("SETTING", githubToken)] }, /a GitHub token/],
  ["a token in an argument", { ...local, args: [`--auth=${githubToken}`] }, /a GitHub token/],
  [
    "a value with the name of a secret",
    { ...local, env: [fixed("DB_PASSWORD", "hunter2hunter2")] },
    /secret/,
  ],
  ["a fixed authorization", { ...remote, headers: [fixed("Authorization", "Bearer abcdefgh")] }, /secret/],
  ["an option with a secret", { ...local, args: ["--api-key", "abcdefgh1234"] }, /secret/],
  ["a secret in the query", { ...remote, url: "https://x.example.com/mcp?apiKey=abcdefgh1234" }, /secret/],
  ["a random text", { ...local, env: [fixed("SETTING", "Zx8Qw3Er7Ty2Ui9Op4As")] }, /a secret/],
  ["an unknown field", { ...remote, timeout: 3 }, /timeout|nrecognized/],
  ["a reserved slug", { ...remote, slug: "central" }, /reserved/],
  ["a slug with a slash", { ...remote, slug: "a/b" }, /lower-case/],
  ["a name with a line separator", { ...remote, name: "a\u2028b" }, /one line/],
  ["a name that is shown in another order", { ...remote, name: "a\u202eb" }, /one line/],
  ["a description that is", { ...remote, description: "a\nb\u2067c" }, /control characters/],
  ["a description with an escape sequence", { ...remote, description: "a\u001b[2Jb" }, /control characters/],
  ["a command line that is", { ...local, args: ["--x", "a\u202eb"] }, /one line/],
  ["a URL that is", { ...remote, url: "https://mcp.example.com/\u202ea" }, /one line/],
  ["a label that is", { ...local, env: [member("A", { label: "API\u202e token" })] }, /env[.]0[.]label/],
  [
    "a value's description with a line break",
    { ...local, env: [member("A", { description: "a\nb" })] },
    /env[.]0[.]description/,
  ],
];

describe("the checks of an MCP server", () => {
  for (const [what, body, message] of refused)
    it(`refuse ${what}`, async () => {
      const answer = await fixture.create({ name: "Refused", ...body });

      assert.equal(answer.code, "invalid_request", JSON.stringify(answer.body));
      assert.match(JSON.stringify(answer.details), message);
      assert.ok(!answer.error!.includes(githubToken) && !answer.error!.includes("hunter2"));
    });

  it("apply to changes as well", async () => {
    await fixture.created({ name: "Changed", ...local });

    const answer = await fixture.change("changed", { env: [fixed("TOKEN", githubToken)] });

    assert.equal(answer.code, "invalid_request");
    assert.match(answer.error!, /let each member supply it/);
  });

  it("refuse plain http, for new servers, changes and another transport, unless the server allows it", async () => {
    const address = "http://mcp.example.com/mcp";
    const isRefused = ({ status, code, details }: Awaited<ReturnType<Fixture["create"]>>, what: string) => {
      assert.deepEqual([status, code], [400, "invalid_request"], what);
      assert.match(JSON.stringify(details), /not encrypted: use https, or set allowHttp/, what);
    };
    for (const transport of ["http", "sse"])
      for (const url of [
        address,
        "HTTP://mcp.example.com/mcp",
        "http://10.0.0.5/mcp",
        "http://localhost/mcp",
      ])
        isRefused(await fixture.create({ name: "Plain", transport, url }), `${transport} ${url}`);
    await fixture.created({ name: "Encrypted", ...remote });
    isRefused(await fixture.change("encrypted", { url: address }), "a change");
    isRefused(
      await fixture.change("encrypted", { url: address, allowHttp: false }),
      "a change without leave",
    );

    const allowed = await fixture.change("encrypted", { url: address, allowHttp: true });
    assert.equal(allowed.data.url, address);
    isRefused(await fixture.change("encrypted", { allowHttp: false }), "a change that ends the leave");
  });

  it("accept what is no secret", async () => {
    const digest = `example/server@sha256:${"0123456789abcdef".repeat(4)}`;
    const server = await fixture.created({
      name: "Accepted",
      ...local,
      args: ["run", "-i", digest, '{"a": 1}', "--log-level=debug", "{TOKEN}"],
      env: [
        member("TOKEN"),
        fixed("MAX_TOKEN", "4096"),
        fixed("SERVICE_URL", "https://api.example.com/v1/organizations"),
        fixed("PROJECT", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
      ],
    });
    assert.equal(server.env.length, 4);
    const insecure = await fixture.created({
      name: "Intranet",
      transport: "sse",
      url: "http://10.0.0.5:8080/sse",
      allowHttp: true,
    });
    assert.equal(insecure.allowHttp, true);
    const numbers = { name: "IPv6", transport: "http", url: "https://[2001:db8::1]:8443/mcp" };
    assert.equal((await fixture.created(numbers)).url, numbers.url);
    const filled = await fixture.created({
      name: "Filled",
      transport: "http",
      url: "https://{tenant}.example.com/mcp",
      headers: [fixed("Authorization", "Bearer {api.token}")],
      variables: [member("tenant"), member("api.token", { required: false })],
    });
    assert.equal(filled.variables.length, 2);
  });

  it("bound the configuration as a whole", async () => {
    const args = Array.from({ length: 40 }, () => "a ".repeat(limits.mcpArgument / 2));

    const answer = await fixture.create({ name: "Large", ...local, args });

    assert.equal(answer.code, "limit_reached");
  });
});

describe("likely secrets", () => {
  it("are not words, paths, versions or public digests", () => {
    for (const text of [
      "@modelcontextprotocol/server-filesystem@2025.8.21",
      "/usr/local/lib/node_modules/some-long-package-name/bin/index.js",
      "git+https://github.com/example/server@0123456789abcdef0123456789abcdef01234567",
      "https://mcp.example.com/v1/organizations/acme-production-europe-west1/mcp",
      "INTERNATIONALIZATION",
      "Europe/Berlin",
      "00000000000000000000000000000000",
    ])
      assert.equal(likelySecret(text), undefined, text);
  });

  it("include random texts in hexadecimal and base64", () => {
    for (const text of [
      "9f86d081884c7d659a2feaa0c55ad015",
      "c2VjcmV0LXZhbHVlMTIzNDU2Nzg5MA9x8y7z==",
      "key=Zx8Qw3Er7Ty2Ui9Op4As6Df",
    ])
      assert.equal(likelySecret(text), "a secret", text);
  });

  it("are recognized by the name of the value", () => {
    for (const name of ["API_KEY", "apiKey", "x-api-key", "GITHUB_TOKEN", "client_secret", "password"])
      assert.equal(namesSecret(name, "abcdefgh"), true, name);
    for (const [name, value] of [
      ["TOKEN_URL", "https://example.com/token"],
      ["TOKEN", "true"],
      ["SECRET_TOKEN", "/run/secrets/token"],
      ["KEYBOARD", "qwertz-keyboard"],
    ] as const)
      assert.equal(namesSecret(name, value), false, name);
  });
});
