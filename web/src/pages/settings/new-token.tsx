import { Modal } from "@mantine/core";
import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { createToken, tokensQuery } from "../../api/account.ts";
import { foldersQuery, type Identity } from "../../api/session.ts";
import { TokenForm } from "../../parts/token-form.tsx";
import { TokenSecret } from "../../parts/token-secret.tsx";

/** Organizations whose folders are offered; a token for folders of others is created in the command line. */
const shownOrganizations = 10;

/** The dialog that creates a token, and then shows its secret once. */
export function NewToken({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const client = useQueryClient();
  const memberships = identity.memberships.slice(0, shownOrganizations);
  const folders = useQueries({ queries: memberships.map(({ slug }) => foldersQuery(slug)) });
  const create = useMutation({
    mutationFn: createToken,
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const groups = memberships.flatMap(({ slug }, index) => {
    const items = (folders[index]?.data ?? []).map(({ id, path }) => ({ value: id, label: path }));
    return items.length > 0 ? [{ group: slug, items }] : [];
  });
  const secret = create.data?.token;
  return (
    <Modal
      opened
      onClose={onClose}
      title={create.data ? `Token ${create.data.name}` : "New token"}
      size={520}
      closeOnClickOutside={false}
      closeOnEscape={secret === undefined}
      withCloseButton={secret === undefined}
    >
      {secret === undefined ? (
        <TokenForm
          folders={groups}
          error={create.error}
          isPending={create.isPending}
          onCreate={(token) => create.mutate(token)}
          onCancel={onClose}
        />
      ) : (
        <TokenSecret secret={secret} onClose={onClose} />
      )}
    </Modal>
  );
}
