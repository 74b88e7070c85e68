/**
 * Every page of the dashboard and every page without script in a real browser: its pictures, WCAG 2.2 AA in both schemes,
 * wide and narrow, and what a viewer, a stranger and a visitor see of it.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { tsImport } from "tsx/esm/api";
import {
  accessibilityProblems,
  sidewaysOverflow,
  whyNoBrowser,
  type WatchedPage,
} from "../support/browser.ts";
import { confirmAddress, newFolder, newMember, publishInFolder, restrict } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { until } from "../support/until.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { useDashboard } from "../support/web/dashboard.ts";

const pictures = process.env["SVC_TEST_PICTURES"] ?? path.join(root, "dist", "pictures");

/** Loaded as a source, since the compiled tests have the built front end in place of `web/`. */
const { routes } = (await tsImport(path.join(root, "web/routes.ts"), import.meta.url)) as {
  routes: RouteNode;
};
/** Addresses for each route; `$org` and `$slug` stand for the organization of the test and its private skill. */
const addresses: Record<string, string> = {
  "/$org/$slug/compare/$range": "/$org/$slug/compare/1.0.0...1.0.1",
  "/$org/$slug/files/$": "/$org/$slug/files/SKILL.md",
  "/$org/-/library/$": "/$org/-/library/engineering/release",
  "/$org/-/people/teams/$team": "/$org/-/people/teams/$team",
  "/new": "/new?org=$org",
};
/** Pages without script, and an address that has none. */
const plainPages = ["/sign-in", "/sign-up", "/forgot-password", "/device", "/no/such/page"];
const isOfOrganization = (route: string) => route.startsWith("/$org");
/** For administrators of the service only; the owner is one, since the first account is. */
const isOfService = (route: string) => route.startsWith("/admin");
/** Its public face is the same for everyone, and names nothing private. */
const isPublic = (route: string) => route === "/$org";

describe("the pages", { skip: whyNoBrowser() ?? false }, () => {
  const dashboard = useDashboard();
  let service: TestService;
  let owner: TestUser;
  let viewer: TestUser;
  let stranger: TestUser;
  let org: TestOrg;
  let team: string;

  before(async () => {
    mkdirSync(pictures, { recursive: true });
    ({ service } = dashboard);
    owner = await service.newUser();
    stranger = await service.newUser();
    await confirmAddress(service, owner);
    org = await service.newOrg(owner);
    viewer = await newMember(service, org, "viewer");
    await newFolder(service, org, owner, "design/words");
    const { id } = await newFolder(service, org, owner, "engineering/release");
    const skill = { name: "zebra-checks", folder: "engineering/release", visibility: "private" };
    await publishInFolder(service, org, owner, skill);
    await publishInFolder(service, org, owner, {
      name: "plain-words",
      folder: "design/words",
      visibility: "public",
    });
    const call = async <T>(method: string, at: string, body: unknown) => {
      const answer = await service.call<T>(method, at, { token: owner.token, body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.data;
    };
    await call("POST", `/api/skills/${org.slug}~zebra-checks/versions`, {
      content: "# Zebra checks\n\nMore.\n",
    });
    ({ id: team } = await call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
      name: "Platform",
    }));
    await call("POST", `/api/tenants/${org.slug}/invitations`, { email: "noor@example.com", role: "viewer" });
    await restrict(service, owner, id, []);
    await service.settled();
  });

  const addressOf = (route: string, slug = "zebra-checks") =>
    (addresses[route] ?? route).replace("$org", org.slug).replace("$slug", slug).replace("$team", team);

  /** Opens a page and waits for its content; a page that never has a heading is a problem. */
  async function open({ page }: WatchedPage, route: string): Promise<string[]> {
    try {
      await page.goto(service.url + addressOf(route));
      await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached", timeout: 20_000 });
      const placeholder = page.locator('[role="status"][aria-label="Loading"]').first();
      await placeholder.waitFor({ state: "detached", timeout: 20_000 });
    } catch (error) {
      return [`${route}: ${(error as Error).message}: ${await page.locator("body").innerText()}`];
    }
    const main = page.locator("main");
    const isShown = async () => (await main.innerText()).trim().length > 20;
    return until(`${route} to show something`, isShown).then(
      () => [],
      () => [`${route} is blank`],
    );
  }

  it("have no accessibility problems in both schemes, wide and narrow, and no page is blank", async () => {
    const watched = await dashboard.newPage({ user: owner });
    const problems: string[] = [];
    for (const route of pagesOf(routes))
      problems.push(...(await open(watched, route)), ...(await problemsOf(watched.page, route)));
    problems.push(...watched.troubles, ...watched.outside);

    const visitor = await dashboard.newPage();
    for (const route of plainPages)
      problems.push(...(await open(visitor, route)), ...(await problemsOf(visitor.page, route)));
    assert.deepEqual(problems, []);
  });

  it("show a viewer what a role allows, and nothing of a folder without a grant", async () => {
    const watched = await dashboard.newPage({ user: viewer });
    const problems: string[] = [];
    for (const route of pagesOf(routes)) {
      problems.push(...(await open(watched, route)));
      const text = await watched.page.locator("main").innerText();
      if (/zebra/i.test(text)) problems.push(`${route} names the private skill`);
      const isHidden = route.includes("$slug") || isOfService(route);
      if (isHidden && !text.includes("Not found")) problems.push(`${route} exists`);
    }
    assert.deepEqual(problems, []);
  });

  it("show strangers and visitors the same as for what does not exist", async () => {
    const problems: string[] = [];
    for (const user of [stranger, undefined]) {
      const watched = await dashboard.newPage({ user });
      for (const route of pagesOf(routes)) {
        problems.push(...(await open(watched, route)));
        const html = withoutAddress(await watched.page.content(), addressOf(route));
        for (const name of [/zebra/i, /engineering/, /Platform/, /noor@/])
          if (name.test(html)) problems.push(`${route} contains ${name}`);
        const text = await watched.page.locator("main").innerText();
        const isRefused = /Not found|Sign in/.test(text);
        if (isOfOrganization(route) && !isPublic(route) && !isRefused) problems.push(`${route} exists`);
        if (isOfService(route) && !text.includes("Not found")) problems.push(`${route} exists`);
      }
    }
    assert.deepEqual(problems, []);
  });
});

/** Axe and the overflow in the four combinations, on one load of the page, of which two are kept as pictures. */
async function problemsOf(page: Page, route: string): Promise<string[]> {
  const problems: string[] = [];
  const name = route.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "home";
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The scheme changes colors only.
      const found = await accessibilityProblems(
        page,
        colorScheme === "dark" ? ["color-contrast"] : undefined,
      );
      problems.push(...found.map((one) => `${route} ${colorScheme} ${width}: ${one}`));
      const isPictured = (colorScheme === "dark") === (width === 360);
      if (isPictured)
        await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
    const overflow = await sidewaysOverflow(page);
    if (overflow > 0) problems.push(`${route} scrolls sideways by ${overflow} px at ${width}`);
  }
  return problems;
}

/** Without the address itself, which links such as that to the sign-in repeat. */
const withoutAddress = (html: string, address: string) =>
  html.replaceAll(address, "").replaceAll(encodeURIComponent(address), "");

interface RouteNode {
  type: string;
  path?: string;
  children?: readonly RouteNode[];
}

/** The address patterns of all pages; a frame with an index page counts once. */
function pagesOf(node: RouteNode, above = ""): string[] {
  const own = node.type === "route" ? `${above}/${node.path ?? ""}`.replaceAll(/\/+/g, "/") : above;
  if (!node.children?.length) return [own === "" ? "/" : own];
  return [...new Set(node.children.flatMap((child) => pagesOf(child, own)))];
}
