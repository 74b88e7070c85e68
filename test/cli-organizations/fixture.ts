/** An organization with members on the real service, and runners of the client for each of them. */
import type { TestContext } from "node:test";
import { type Ran, svc, temporaryFolder } from "../cli/harness.ts";
import { confirmAddress, newMember } from "../support/organization.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";

export type Run = (...argv: string[]) => Promise<Ran>;

export interface Setting {
  owner: TestUser;
  member: TestUser;
  org: TestOrg;
  home: string;
  /** Prints JSON, as the owner. */
  json: Run;
  /** Prints text, as the owner. */
  text: Run;
  /** Prints JSON, as another user. */
  as: (user: TestUser) => Run;
}

export async function setUp(service: TestService, t: TestContext): Promise<Setting> {
  const owner = await service.newUser();
  await confirmAddress(service, owner);
  const org = await service.newOrg(owner);
  const member = await newMember(service, org, "member");
  const home = await temporaryFolder(t);
  const envOf = ({ token }: TestUser) => ({ SVC_API_URL: service.url, SVC_TOKEN: token });
  const as =
    (user: TestUser): Run =>
    (...argv) =>
      svc([...argv, "-o", "json"], { home, env: envOf(user) });
  const text: Run = (...argv) => svc(argv, { home, env: envOf(owner) });
  return { owner, member, org, home, as, json: as(owner), text };
}

/** The code, output and flag of a failed run. */
export const failureOf = ({ code, stdout, error }: Ran) => [
  code,
  stdout,
  error.code,
  error.details?.["flag"],
];
