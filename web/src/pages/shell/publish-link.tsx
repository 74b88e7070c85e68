import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { may, organizationQuery } from "../../api/account/session.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { useCurrentOrganization } from "./organization/current-organization.ts";

/** Publishing in the organization that the navigation shows, for those who may. */
export function PublishLink() {
  const org = useCurrentOrganization();
  const { data } = useQuery({ ...organizationQuery(org ?? ""), enabled: org !== undefined });
  if (!data || !may(data.permissions, "skill", "create")) return null;
  return (
    <ButtonLink to="/new" search={{ org: data.slug }} size="xs" leftSection={<Plus size={14} />}>
      Publish
    </ButtonLink>
  );
}
