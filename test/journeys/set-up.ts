/**
 * The set-up of journeys with one account: the built service with an organization, and the built `svc` of its owner.
 */
import { realpathSync } from "node:fs";
import { after, before } from "node:test";
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
 * Starts everything before the tests, on the engines of the run, and removes it after them. Called at the top of a
 * file; `use` keeps what was started.
 *
 * @param isLoggedIn whether `svc` has the account's token
 * @param environment further variables of the service
 */
export function setUpJourney(
  username: string,
  isLoggedIn: boolean,
  use: (journey: Journey) => void,
  environment: () => Promise<Record<string, string>> = async () => ({}),
): void {
  const folders: string[] = [];
  const newFolder = (name: string) => {
    const folder = realpathSync(temporaryFolder(name));
    folders.push(folder);
    return folder;
  };
  let server: Server;
  let dataDir: string;
  before(async () => {
    dataDir = newFolder("journey");
    const [home, project, work] = [newFolder("home"), newFolder("project"), newFolder("work")];
    server = await startServer({ dataDir, env: { ...(await sharedEngines()), ...(await environment()) } });
    const account = await newAccount(server.url, username, server.setupLink);
    const tenantId = await newOrganization(server.url, account, "acme");
    const svc = openCli({ home, apiUrl: () => server.url, cwd: work, isRepeatedInside: true });
    if (isLoggedIn) keepContract("login", await svc.json(["login", "--token", account.token]));
    use({ server, dataDir, account, tenantId, home, project, work, svc });
  });
  after(async () => {
    await server.stop();
    await assertNothingRuns(dataDir);
    for (const folder of folders) removeFolder(folder);
  });
}
