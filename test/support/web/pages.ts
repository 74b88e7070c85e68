/** All pages of the dashboard by their routes, with an organization whose folder `release` grants no one but owners. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { WatchedPage } from "../browser.ts";
import { confirmAddress, newFolder, newMember, publishSkill, restrict } from "../organization.ts";
import type { TestService, TestUser } from "../service.ts";
import { until } from "../until.ts";
import { addressesOf, loadRoutes } from "./addresses.ts";
import { setUpDashboard, type Dashboard } from "./dashboard.ts";

export const routes = addressesOf(await loadRoutes());

/** Addresses for each route; `$org` and `$slug` stand for the organization of the test and its private skill. */
const addresses: Record<string, string> = {
  "/$org/$slug/compare/$range": "/$org/$slug/compare/1.0.0...1.0.1",
  "/$org/$slug/files/$": "/$org/$slug/files/SKILL.md",
  "/$org/-/library/$": "/$org/-/library/engineering/release",
  "/$org/-/people/teams/$team": "/$org/-/people/teams/$team",
  "/$org/-/reviews/$slug/$version": "/$org/-/reviews/$slug/1.0.0",
  "/new": "/new?org=$org",
};

interface Seeded {
  /** The first account, which administers the service. */
  owner: TestUser;
  viewer: TestUser;
  stranger: TestUser;
  org: string;
  team: string;
}

export interface Pages {
  readonly dashboard: Dashboard;
  readonly seeded: Seeded;
  addressOf(route: string): string;
  /** Loads a page and waits for its content; returns the problem of a page without a heading or content. */
  open(watched: WatchedPage, route: string): Promise<string[]>;
  /** The same, without loading the front end again, which takes six times as long. */
  visit(watched: WatchedPage, route: string): Promise<string[]>;
}

/** The dashboard of a service with the organization. */
export async function setUpPages(): Promise<Pages> {
  const dashboard = await setUpDashboard();
  const seeded = await seed(dashboard.service);
  const addressOf = (route: string) =>
    (addresses[route] ?? route)
      .replace("$org", seeded.org)
      .replace("$slug", "zebra-checks")
      .replace("$team", seeded.team)
      .replace("$member", seeded.owner.id)
      .replace("$server", "zebra-tracker")
      .replace("$collection", "zebra-set");
  const load = (page: Page, route: string) => page.goto(dashboard.service.url + addressOf(route));
  return {
    dashboard,
    seeded,
    addressOf,
    open: ({ page }, route) => problemsOfContent(page, route, () => load(page, route)),
    visit: ({ page }, route) =>
      problemsOfContent(page, route, async () => {
        // The first page of a session, and pages without script, are loaded.
        if (await page.evaluate("'__TSR_ROUTER__' in self")) await page.evaluate(navigate, addressOf(route));
        else await load(page, route);
      }),
  };
}

/** Shows an address in the front end that runs in the page, with its data requested again. */
async function navigate(address: string): Promise<void> {
  const router = Reflect.get(globalThis, "__TSR_ROUTER__") as AppRouter;
  const { client } = router.options.context;
  const shown = new Promise<void>((resolve) => {
    const stop = router.subscribe("onRendered", () => {
      stop();
      resolve();
    });
  });
  client.removeQueries({ type: "inactive" });
  client.invalidateQueries({ refetchType: "none" });
  await router.navigate({ href: address });
  await shown;
}

/** The router that the front end leaves for developers' tools. */
interface AppRouter {
  options: {
    context: {
      client: {
        removeQueries(filter: object): void;
        invalidateQueries(filter: object): void;
      };
    };
  };
  subscribe(event: "onRendered", listener: () => void): () => void;
  navigate(to: { href: string }): Promise<void>;
}

async function problemsOfContent(page: Page, route: string, show: () => Promise<unknown>): Promise<string[]> {
  try {
    await show();
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    const placeholder = page.locator('[role="status"][aria-label="Loading"]').first();
    await placeholder.waitFor({ state: "detached" });
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

async function seed(service: TestService): Promise<Seeded> {
  const owner = await service.newUser();
  const stranger = await service.newUser();
  await confirmAddress(service, owner);
  const org = await service.newOrg(owner);
  const viewer = await newMember(service, org, "viewer");
  await newFolder(service, org, owner, "design/words");
  const { id } = await newFolder(service, org, owner, "engineering/release");
  for (const [name, folder, visibility] of [
    ["zebra-checks", "engineering/release", "private"],
    ["plain-words", "design/words", "public"],
  ] as const)
    await publishSkill(service, org, owner, { name, folder, visibility });
  const call = async <T>(method: string, at: string, body: unknown) => {
    const answer = await service.call<T>(method, at, { token: owner.token, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.data;
  };
  const content = "# Zebra checks\n\nMore.\n";
  await call("POST", `/api/skills/${org.slug}~zebra-checks/versions`, { content });
  const at = `/api/tenants/${org.slug}`;
  const { id: team } = await call<{ id: string }>("POST", `${at}/teams`, { name: "Platform" });
  await call("POST", `${at}/mcp-servers`, {
    name: "Zebra tracker",
    folderId: id,
    transport: "http",
    url: "https://mcp.example.com/mcp",
    headers: [{ name: "X-Token", kind: "member", label: "API token", secret: true, required: true }],
  });
  for (const [name, folderId] of [
    ["Zebra set", id],
    ["First steps", null],
  ])
    await call("POST", `${at}/collections`, { name, folderId, skills: ["plain-words", "zebra-checks"] });
  await call("POST", `${at}/invitations`, { email: "noor@example.com", role: "viewer" });
  await restrict(service, owner, id, []);
  await service.settled();
  return { owner, viewer, stranger, org: org.slug, team };
}
