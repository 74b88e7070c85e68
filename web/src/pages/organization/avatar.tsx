import { Button, FileButton } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { identityQuery, organizationQuery } from "../../api/account/session.ts";
import { removeAvatar, setAvatar } from "../../api/organization/organizations.ts";
import { Initials } from "../../parts/avatar.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";

const maxBytes = 5 * 1024 * 1024;

export function Avatar({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const changing = useMutation({
    mutationFn: async (picture: File | null) => {
      if (picture === null) return removeAvatar(organization.slug);
      if (picture.size > maxBytes)
        throw new Error(`${picture.name} is larger than 5 MiB. Choose a smaller picture.`);
      return setAvatar(organization.slug, picture);
    },
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: organizationQuery(organization.slug).queryKey }),
        client.invalidateQueries({ queryKey: identityQuery.queryKey }),
      ]),
  });
  return (
    <section className="stack gap-3" aria-label="Avatar">
      <h2>Avatar</h2>
      <div className="row wrap">
        {organization.avatarUrl === null ? (
          <Initials name={organization.name} isOrganization />
        ) : (
          <img
            src={organization.avatarUrl}
            alt={`Avatar of ${organization.name}`}
            width={64}
            height={64}
            style={{ borderRadius: 10 }}
          />
        )}
        <FileButton
          accept="image/jpeg,image/png,image/webp,image/gif"
          onChange={(picture) => picture && changing.mutate(picture)}
        >
          {(props) => (
            <Button variant="default" loading={changing.isPending} {...props}>
              Choose a picture
            </Button>
          )}
        </FileButton>
        {organization.avatarUrl !== null && (
          <Button variant="subtle" color="gray" onClick={() => changing.mutate(null)}>
            Remove
          </Button>
        )}
      </div>
      <p className="meta">JPEG, PNG, WebP or GIF of at most 5 MiB. It is cropped to a square.</p>
      <Problem error={changing.error} />
    </section>
  );
}
