import { Link } from "@tanstack/react-router";
import { Initials } from "../avatar.tsx";
import { visibleText } from "../text/visible-text.ts";

interface Props {
  person: { name: string; username: string };
  /** Opens the page of the member. */
  member?: { org: string; userId: string };
}

/** The initials, the name and, if it differs, the username of a person. */
export function Person({ person: { name, username }, member }: Props) {
  const shown = visibleText(name || username);
  return (
    <span className="row">
      <Initials name={name || username} />
      <span className="clip">
        {member ? (
          <Link
            className="team-name"
            to="/$org/-/people/members/$member"
            params={{ org: member.org, member: member.userId }}
          >
            {shown}
          </Link>
        ) : (
          shown
        )}{" "}
        {shown !== username && <span className="meta">{username}</span>}
      </span>
    </span>
  );
}
