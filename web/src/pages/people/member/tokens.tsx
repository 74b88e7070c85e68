import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { tokensQuery } from "../../../api/account/tokens.ts";
import type { Member } from "../../../api/organization/people.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { Time } from "../../../parts/text/time.tsx";

/** Tokens of the organization that the member has created. Their personal tokens are their own. */
export function MemberTokens({ org, member }: { org: string; member: Member }) {
  const found = useQuery(tokensQuery(org));
  return (
    <section className="stack gap-3" aria-label="API tokens">
      <h2>API tokens</h2>
      <Loaded found={found} rows={2} rowHeight={44}>
        {(tokens) => {
          const own = tokens.filter(({ createdBy }) => createdBy === member.username);
          if (own.length === 0)
            return (
              <p className="sub">
                No token of the organization was created by {member.username}. Personal tokens are shown to
                their owner only; the audit log has their creation.
              </p>
            );
          return (
            <ul className="panel plain">
              {own.map(({ id, name, expiresAt, lastUsedAt }) => (
                <li key={id} className="row">
                  <Link className="grow clip" to="/$org/-/tokens" params={{ org }}>
                    {name}
                  </Link>
                  <span className="meta">
                    {lastUsedAt ? (
                      <>
                        used <Time value={lastUsedAt} />
                      </>
                    ) : (
                      "never used"
                    )}
                    {" · "}
                    {expiresAt ? (
                      <>
                        expires <Time value={expiresAt} />
                      </>
                    ) : (
                      "does not expire"
                    )}
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}
