import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { may } from "../../../api/account/session.ts";
import { serviceQuery } from "../../../api/home.ts";
import { rolesQuery } from "../../../api/organization/people.ts";
import { autoJoinQuery } from "../../../api/organization/sso-domains.ts";
import { Command } from "../../../parts/copy/command.tsx";
import type { Organization } from "../../../parts/page/organization-page.tsx";

/**
 * One link for everyone with an address in a verified domain, if they join automatically. For those who manage that,
 * and while mails reach people, who have to confirm their address.
 */
export function DomainLink({ org, organization }: { org: string; organization: Organization }) {
  const canRead = may(organization.permissions, "sso", "manage");
  const { data: setting } = useQuery({ ...autoJoinQuery(org), enabled: canRead });
  const { data: service } = useQuery(serviceQuery);
  const { data: roles } = useQuery(rolesQuery(org));
  if (!canRead || !setting || !service?.mail || setting.domains.length === 0) return null;
  if (!service.signUpOpen && !service.sso) return null;
  const domains = new Intl.ListFormat("en", { type: "disjunction" }).format(setting.domains);
  if (!setting.enabled)
    return (
      <p className="sub">
        To let everyone with an address at {domains} join by one link,{" "}
        <Link to="/$org/-/sso" params={{ org }}>
          turn on auto-join
        </Link>
        .
      </p>
    );
  const page = service.signUpOpen ? "/sign-up" : "/sign-in";
  const role = roles?.find(({ id }) => id === setting.role)?.name ?? setting.role;
  return (
    <div className="stack">
      <p className="sub">
        Everyone with a confirmed address at {domains} joins as {role} by this link, without an invitation:
      </p>
      <Command
        text={`${service.baseUrl}${page}?return_to=${encodeURIComponent(`/${org}/-/library/`)}`}
        label="Copy link for the domain"
        prompt=""
      />
    </div>
  );
}
