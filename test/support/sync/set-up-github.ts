/** The set-up of tests of connections at GitHub. */
import { after } from "node:test";
import type { Config } from "../../../src/config.ts";
import { startGitHub } from "../host/github-stub.ts";
import type { TestOrg, TestService, TestUser } from "../service.ts";
import { newOrganization, setUpService } from "../set-up.ts";

export interface Customer {
  owner: TestUser;
  org: TestOrg;
  /** The path of the organization's connection in the API. */
  base: string;
}

/**
 * A stub of GitHub, and a service that uses it.
 *
 * @param proof how write access is proved to the App; undefined for a service without an App
 */
export async function setUpGitHub(options: {
  proof?: NonNullable<Config["github"]["app"]>["proof"];
  webhookSecrets?: string[];
}) {
  const stub = await startGitHub();
  const { service, clock } = await setUpService({
    github: {
      url: stub.url,
      apiUrl: stub.url,
      app: options.proof && { ...stub.app, proof: options.proof },
      webhookSecrets: options.webhookSecrets ?? [],
    },
  });
  after(() => stub.close());
  return { service, clock, stub };
}

/** A new organization without a connection. */
export async function newCustomer(service: TestService): Promise<Customer> {
  const { owner, org } = await newOrganization(service);
  return { owner, org, base: `/api/tenants/${org.id}/repo-sync` };
}
