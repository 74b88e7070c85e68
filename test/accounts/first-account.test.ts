import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { ensureSetupLink } from "../../src/accounts/sign-up/setup.ts";
import {
  cookieOf,
  password,
  signUp,
  startAccounts,
  statusesOf,
  type AccountsService,
} from "../support/accounts-app.ts";

const tokenOf = (link: string | undefined) => new URL(link!).searchParams.get("token")!;

describe("the first account, created on the same machine", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts()));
  beforeEach(() => service.clear());
  after(() => service.close());

  it("is the administrator, and the next one is not", async () => {
    const first = await signUp(service, "ada");
    const second = await signUp(service, "bob");

    assert.equal(first.answer.body.data["isAdministrator"], true);
    assert.equal(second.answer.body.data["isAdministrator"], false);
  });

  it("is exactly one, however many sign up at once", async () => {
    for (let round = 0; round < 3; round++) {
      await service.clear();

      const people = await Promise.all(
        Array.from({ length: 6 }, (_, i) => signUp(service, `person${round}${i}`)),
      );

      assert.deepEqual(
        people.map(({ answer }) => answer.status),
        Array<number>(6).fill(201),
      );
      const administrators = people.filter(({ answer }) => answer.body.data["isAdministrator"]);
      assert.equal(administrators.length, 1);
    }
  });

  it("requires the link if a proxy forwards to the service", async () => {
    const proxied = { "x-forwarded-for": "127.0.0.1" };
    const json = { email: "m@example.org", password, name: "M", username: "mallory" };

    const answer = await service.call("POST", "/api/auth/sign-up", { json, headers: proxied });

    assert.equal(answer.status, 403);
    assert.equal(await service.storage.users.hasAny(), false);
  });

  it("is refused to a page of another site", async () => {
    const json = { email: "m@example.org", password, name: "M", username: "mallory" };
    const rebound = { origin: "http://evil.example:3000" };

    const answer = await service.call("POST", "/api/auth/sign-up", { json, headers: rebound });

    assert.equal(answer.status, 403);
    assert.equal(await service.storage.users.hasAny(), false);
  });
});

describe("the set-up link", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts({ host: "0.0.0.0" })));
  beforeEach(() => service.clear());
  after(() => service.close());

  it("is explained by the sign-up of the empty service, which has no form then", async () => {
    const empty = await service.call("GET", "/sign-up");
    assert.equal(empty.status, 200);
    assert.match(empty.text, /no account yet/);
    assert.match(empty.text, /\/setup\?token=…/);
    assert.doesNotMatch(empty.text, /<input|\/setup\?token=\w/);
    await signUp(service, "ada", { setupToken: tokenOf(await ensureSetupLink(service.app)) });
    assert.match((await service.call("GET", "/sign-up")).text, /name="password"/);
  });

  it("confirms the address where mails are files, and sends no mail", async () => {
    const link = await ensureSetupLink(service.app);

    const { answer } = await signUp(service, "ada", { setupToken: tokenOf(link) });

    const user = await service.storage.users.find(answer.body.data["id"]);
    assert.ok(user?.emailVerifiedAt);
    assert.equal(user.verification, undefined);
  });

  it("confirms no address where a server sends mails", async () => {
    const { mail } = service.app;
    service.app.mail = { ...mail, kind: "smtp" };
    try {
      const link = await ensureSetupLink(service.app);

      const { answer } = await signUp(service, "ada", { setupToken: tokenOf(link) });

      const user = await service.storage.users.find(answer.body.data["id"]);
      assert.equal(user?.emailVerifiedAt, undefined);
      assert.ok(user?.verification);
    } finally {
      service.app.mail = mail;
    }
  });

  it("is the same at each start, and removed once there is an account", async () => {
    const links = await Promise.all([1, 2, 3].map(() => ensureSetupLink(service.app)));

    assert.equal(new Set(links).size, 1);
    assert.ok(links[0]!.startsWith(`${service.url}/setup?token=`));
    await signUp(service, "ada", { setupToken: tokenOf(links[0]) });
    await service.settled();
    assert.equal(await ensureSetupLink(service.app), undefined);
    assert.equal(await service.storage.setup.find(), null);
  });

  it("is not stored in plain text, and is renewed when its key is missing", async () => {
    const token = tokenOf(await ensureSetupLink(service.app));
    const kept = await service.storage.setup.find();
    assert.ok(!JSON.stringify(kept).includes(token));
    await service.storage.setup.replace("v1.gone.AAAA.AAAA.AAAA");

    const renewed = tokenOf(await ensureSetupLink(service.app));

    assert.notEqual(renewed, token);
    assert.equal((await signUp(service, "mallory", { setupToken: token })).answer.status, 403);
    assert.equal((await signUp(service, "ada", { setupToken: renewed })).answer.status, 201);
  });

  it("is required to create the first account, by API and by page", async () => {
    const token = tokenOf(await ensureSetupLink(service.app));
    const form = { email: "m@example.org", password, name: "M", username: "mallory" };

    const without = await signUp(service, "mallory");
    const forged = await signUp(service, "mallory", { setupToken: `${token.slice(0, -1)}_` });
    const byPage = await service.call("POST", "/sign-up", { form });
    const bySetup = await service.call("POST", "/setup", { form: { ...form, setup_token: "guess" } });

    for (const refused of [without.answer, forged.answer, byPage, bySetup]) assert.equal(refused.status, 403);
    assert.match(byPage.text, /open the set-up link/);
    assert.equal(await service.storage.users.hasAny(), false);
    const right = await signUp(service, "ada", { setupToken: token });
    assert.equal(right.answer.body.data["isAdministrator"], true);
  });

  it("becomes invalid with its first use", async () => {
    const token = tokenOf(await ensureSetupLink(service.app));
    await signUp(service, "ada", { setupToken: token });

    const second = await signUp(service, "bob", { setupToken: token });

    assert.equal(second.answer.body.data["isAdministrator"], false);
    const page = await service.call("GET", `/setup?token=${token}`);
    assert.equal(page.status, 303);
    assert.equal(page.headers.get("location"), "/sign-in");
  });

  it("creates account and organization in one form", async () => {
    const link = new URL((await ensureSetupLink(service.app))!);
    const page = await service.call("GET", `${link.pathname}${link.search}`);
    assert.ok(page.text.includes(`name="setup_token" value="${tokenOf(link.href)}"`));

    const answer = await service.call("POST", "/setup", {
      form: {
        email: "ada@example.org",
        password,
        name: "Ada",
        username: "ada",
        organization: "Analytical Engines",
        setup_token: tokenOf(link.href),
      },
    });

    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), "/");
    const { body } = await service.call("GET", "/api/user/profile", { cookie: cookieOf(answer) });
    assert.equal(body.data["isAdministrator"], true);
    const [membership] = body.data["memberships"] as { slug: string; name: string }[];
    assert.equal(membership?.slug, "analytical-engines");
  });

  it("keeps the account if its organization can't be created", async () => {
    const setup_token = tokenOf(await ensureSetupLink(service.app));
    const form = { email: "ada@example.org", password, name: "Ada", username: "ada", setup_token };

    const answer = await service.call("POST", "/setup", { form: { ...form, organization: "Admin" } });

    assert.equal(answer.status, 200);
    assert.match(answer.text, /The organization was not created/);
    assert.match(answer.text, /href="\/orgs\/new"/);
    const again = await service.call("POST", "/api/tenants", {
      cookie: cookieOf(answer),
      json: { name: "Admin", slug: "the-admins" },
    });
    assert.equal(again.status, 201);
  });
});

describe("sign-up by invitation only", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts({ signUp: "invite" })));
  beforeEach(() => service.clear());
  after(() => service.close());

  it("allows the first account and refuses the others", async () => {
    const first = await signUp(service, "ada");
    const second = await signUp(service, "bob");
    const page = await service.call("GET", "/sign-up");

    assert.equal(first.answer.status, 201);
    assert.equal(second.answer.status, 403);
    assert.equal(second.answer.body.code, "forbidden");
    assert.equal(page.status, 403);
    assert.ok(!page.text.includes('<form method="post" action="/sign-up"'));
  });

  it("allows one of many concurrent first accounts", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, (_, i) => signUp(service, `person${i}`)));

    assert.deepEqual(statusesOf(people.map(({ answer }) => answer)), [201, 403, 403, 403, 403, 403]);
  });
});
