/** The set-up of tests of connections at GitHub. */
import { after, before } from "node:test";
import type { Config } from "../../../src/config.ts";
import { startGitHub, type GitHubStub } from "../host/github-stub.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../service.ts";
import { newClock, type Clock } from "../set-up.ts";

export interface Customer {
  owner: TestUser;
  org: TestOrg;
  /** The path of the organization's connection in the API. */
  base: string;
}

/**
 * Starts a stub of GitHub and a service that uses it before the tests, and closes both after them. `use` keeps them.
 *
 * @param proof how write access is proved to the App; undefined for a service without an App
 */
export function setUpGitHub(
  options: { proof?: NonNullable<Config["github"]["app"]>["proof"]; webhookSecrets?: string[] },
  use: (made: { service: TestService; stub: GitHubStub }) => void,
): Clock {
  const clock = newClock();
  let stub: GitHubStub;
  let service: TestService;
  before(async () => {
    stub = await startGitHub();
    service = await startService({
      github: {
        url: stub.url,
        apiUrl: stub.url,
        app: options.proof && { ...stub.app, proof: options.proof },
        webhookSecrets: options.webhookSecrets ?? [],
      },
      now: () => clock.now(),
    });
    use({ service, stub });
  });
  after(async () => {
    await service.close();
    await stub.close();
  });
  return clock;
}

/** A new organization without a connection. */
export async function newCustomer(service: TestService): Promise<Customer> {
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  return { owner, org, base: `/api/tenants/${org.id}/repo-sync` };
}
