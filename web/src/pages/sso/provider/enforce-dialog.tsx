import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { countText } from "../../../../../contract/text/count-text.ts";
import { consequencesQuery, type SsoConsequences, type SsoProvider } from "../../../api/organization/sso.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useSave } from "./use-save.ts";

interface Props {
  org: string;
  provider: SsoProvider;
  onClose: () => void;
}

/** Shows who loses access and who keeps it before single sign-on is required. */
export function EnforceDialog({ org, provider, onClose }: Props) {
  const found = useQuery(consequencesQuery(org, provider.id));
  const save = useSave(org, provider.id, onClose);
  const title = `Require ${provider.name}`;
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <DialogForm
        label={title}
        action="Require single sign-on"
        isDangerous
        isReady={found.data !== undefined}
        isPending={save.isPending}
        isCancelFocused
        error={save.error}
        onSubmit={() => save.mutate({ enforced: true })}
        onClose={onClose}
      >
        <Loaded found={found} rows={4}>
          {(consequences) => <Consequences consequences={consequences} />}
        </Loaded>
      </DialogForm>
    </Modal>
  );
}

function Consequences({ consequences }: { consequences: SsoConsequences }) {
  const { members, signedIn, outside, owners } = consequences;
  const unnamed = outside.count - outside.examples.length;
  const safe = owners.filter(({ hasFactor }) => hasFactor);
  const unsafe = owners.filter(({ hasFactor }) => !hasFactor);
  const list = (named: { username: string }[]) => named.map(({ username }) => username).join(", ");
  return (
    <div className="stack gap-3">
      <p>
        From the next request on, {countText(members, "member")} other than owners need a sign-in through this
        provider: in the dashboard every seven days, for personal tokens, clones and the client every 30 days.{" "}
        {countText(signedIn, "person").replace("persons", "people")} signed in through it so far. Tokens of
        the organization and of CI keep working.
      </p>
      {outside.count > 0 && (
        <div className="note warn stack">
          <p>
            {countText(outside.count, "member")} {outside.count === 1 ? "has" : "have"} an address in no
            verified domain, and can&apos;t sign in through the provider unless they did so before:
          </p>
          <ul className="plain-list">
            {outside.examples.map(({ username, email }) => (
              <li key={username} className="wrap-text">
                {username} <span className="meta">{email}</span>
              </li>
            ))}
            {unnamed > 0 && <li>and {unnamed.toLocaleString("en")} more</li>}
          </ul>
        </div>
      )}
      {safe.length > 0 && (
        <p>
          With their own second factor, owners keep access while the provider is down: <b>{list(safe)}</b>. It
          counts for a day, is recorded, and is mailed to all owners.
        </p>
      )}
      {unsafe.length > 0 && (
        <p className="note warn">
          Owners without a second factor, who have to sign in through the provider: {list(unsafe)}.
        </p>
      )}
    </div>
  );
}
