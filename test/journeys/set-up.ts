/**
 * The set-up of journeys with one account: the built service with an organization, and the built `svc` of its owner.
 */
import { realpathSync } from "node:fs";
import { after } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { type Cli, openCli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { type Account, newAccount, newOrganization } from "../support/http-client.ts";
import {
  type Server,
  assertNothingRuns,
  removeFolder,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

export interface Journey {
  server: Server;
  /** The data folder of the service. */
  dataDir: string;
  account: Account;
  /** The id of the account's organization `acme`. */
  tenantId: string;
  home: string;
  project: string;
  /** The working folder of `svc`. */
  work: string;
  svc: Cli;
}

/**
 * Everything is started on the engines of the run, and removed after the tests.
 *
 * @param isLoggedIn whether `svc` has the account's token
 * @param environment further variables of the service
 */
export async function setUpJourney(
  username: string,
  isLoggedIn: boolean,
  environment: Record<string, string> = {},
): Promise<Journey> {
  const [dataDir, home, project, work] = ["journey", "home", "project", "work"].map((name) =>
    realpathSync(temporaryFolder(name)),
  ) as [string, string, string, string];
  const server = await startServer({ dataDir, env: { ...(await sharedEngines()), ...environment } });
  after(async () => {
    await server.stop();
    await assertNothingRuns(dataDir);
    for (const folder of [dataDir, home, project, work]) removeFolder(folder);
  });
  const account = await newAccount(server.url, username, server.setupLink);
  const tenantId = await newOrganization(server.url, account, "acme");
  const svc = openCli({ home, apiUrl: () => server.url, cwd: work, isRepeatedInside: true });
  if (isLoggedIn) keepContract("login", await svc.json(["login", "--token", account.token]));
  return { server, dataDir, account, tenantId, home, project, work, svc };
}
