import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { permissionText } from "../../../../contract/text/permission-text.ts";
import { may, organizationQuery } from "../../api/account/session.ts";
import { ApiError, type Schemas } from "../../api/client.ts";
import { isProofRequired, ProofRequired } from "../proof/proof-required.tsx";
import { NotFound } from "../states/not-found.tsx";
import { Problem } from "../states/problem.tsx";
import { WaitingPage } from "../states/skeleton-rows.tsx";
import { Page, type Crumb } from "./page.tsx";

export type Organization = Schemas["Tenant"];

interface Props {
  org: string;
  title: string;
  /** Heading of the page, if it is not the title. */
  heading?: string;
  /** The placeholder, for a page in another form than a heading with rows. */
  waiting?: ReactNode;
  /** Crumbs between the organization and the title. */
  crumbs?: Crumb[];
  /** Group and action of the permission without which the page has nothing to show. */
  permission?: [group: string, action: string];
  /** Outcome of the call for the one thing that the page is about. */
  subject?: { error: unknown; isPending: boolean; refetch(): unknown };
  renderActions?: (organization: Organization) => ReactNode;
  children: (organization: Organization) => ReactNode;
}

/** The first crumb of an organization's pages. */
export const libraryCrumb = (org: string): Crumb => ({
  label: org,
  link: { to: "/$org/-/library/$", params: { org, _splat: "" } },
});

/** A page of one organization: its frame, and the states before there is anything to show. */
export function OrganizationPage({
  org,
  title,
  heading = title,
  waiting = <WaitingPage heading={heading} />,
  crumbs = [],
  permission,
  subject,
  renderActions,
  children,
}: Props) {
  const organization = useQuery(organizationQuery(org));
  // Read on each rendering: Query redraws only for changes of properties that were read before.
  const isPending = subject?.isPending === true;
  const failed = [organization, subject].find((one) => one?.error);
  const isUnknown = failed?.error instanceof ApiError && [401, 404].includes(failed.error.status);
  if (isUnknown) return <NotFound />;
  if (failed?.error instanceof ApiError && isProofRequired(failed.error))
    return <ProofRequired org={org} error={failed.error} />;
  const data = organization.data;
  const isAllowed = data && (!permission || may(data.permissions, ...permission));
  const isReady = isAllowed && !failed && !isPending;
  // A subject that the caller can't see is reported as missing, whatever they may do with others.
  const refused = data && !isAllowed && !isPending ? permission : undefined;
  return (
    <Page
      title={`${title} · ${org}`}
      crumbs={[libraryCrumb(org), ...crumbs, { label: title }]}
      actions={isReady ? renderActions?.(data) : undefined}
    >
      {failed && (
        <div className="page stack">
          <h1>{title}</h1>
          <Problem error={failed.error} retry={() => void failed.refetch()} />
        </div>
      )}
      {!failed && !isReady && !refused && waiting}
      {data && refused && <Refused title={title} organization={data.name} permission={refused} />}
      {isReady && children(data)}
    </Page>
  );
}

interface Refusal {
  title: string;
  organization: string;
  permission: [group: string, action: string];
}

function Refused({ title, organization, permission: [group, action] }: Refusal) {
  return (
    <div className="page stack gap-4">
      <h1>{title}</h1>
      <p className="note warn">
        <Lock className="icon" />
        <span>
          This page requires the permission to <b>{permissionText(group, action)}</b>. An owner or admin of{" "}
          {organization} can give you a role that has it.
        </span>
      </p>
    </div>
  );
}
