import { Link } from "@tanstack/react-router";
import type { Identity } from "../../api/account/session.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { Command } from "../../parts/copy/command.tsx";

/** Home of an account without organization: invitations that wait, and a new organization. */
export function NoOrganization({ identity }: { identity: Identity }) {
  return (
    <div className="stack gap-4 intro">
      <h1>Welcome, {identity.name}</h1>
      <p className="sub">
        Skills belong to an organization. Create one, or ask a member of yours to invite{" "}
        <bdi>{identity.email}</bdi>.
      </p>
      {identity.pendingInvitations.map((invitation) => (
        <p key={invitation.id} className="note accent">
          <span className="grow">
            You are invited to <bdi>{invitation.organizationName}</bdi>.
          </span>
          <a href={`/invitations/${invitation.id}`}>Open the invitation</a>
        </p>
      ))}
      {!identity.emailVerified && (
        <p className="note">
          <span>
            Invitations appear here after you confirm your address.{" "}
            <Link to="/settings/account">Send the link again</Link>
          </span>
        </p>
      )}
      <div>
        <ButtonLink to="/orgs/new">New organization</ButtonLink>
      </div>
      <Command text="svc org create my-organization" />
    </div>
  );
}
