import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, CircleCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { sessionsQuery } from "../../../api/account/account.ts";
import {
  factorsQuery,
  removeTotp,
  renewRecoveryCodes,
  type FactorState,
} from "../../../api/account/second-factors.ts";
import { identityQuery } from "../../../api/account/session.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { Passkeys } from "./passkeys.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { TotpDialog } from "./totp-dialog.tsx";

/** Passkeys, authenticator app and recovery codes of the account. */
export function SecondFactors() {
  const state = useQuery(factorsQuery);
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[]>();
  const refresh = async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: factorsQuery.queryKey }),
      client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
      // Organizations that require a factor may open, or close, with it.
      client.invalidateQueries({ queryKey: identityQuery.queryKey }),
      client.invalidateQueries({ queryKey: ["/api/tenants/{tenant}"] }),
    ]);
  };
  const show = (fresh: string[]) => {
    if (fresh.length > 0) setCodes(fresh);
    void refresh();
  };
  const { data } = state;
  return (
    <section className="panel" aria-labelledby="factors-heading">
      <header>
        <h2 id="factors-heading" className="grow">
          Second factors
        </h2>
        {data && <Summary state={data} />}
      </header>
      <Loaded found={state} rows={3} rowHeight={56}>
        {(factors) => (
          <>
            <RequiredBy state={factors} />
            <Passkeys state={factors} onCodes={show} />
            <Totp state={factors} onCodes={show} />
            <Codes state={factors} onCodes={show} />
          </>
        )}
      </Loaded>
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  );
}

interface PartProps {
  state: FactorState;
  /** Called after a change, with new recovery codes if there are any. */
  onCodes: (codes: string[]) => void;
}

function Summary({ state: { enabled, hasPassword } }: { state: FactorState }) {
  if (!enabled && !hasPassword)
    return <span className="badge">Off: your identity provider signs you in</span>;
  return enabled ? (
    <span className="badge ok">
      <CircleCheck className="icon" /> On
    </span>
  ) : (
    <span className="badge warn">
      <TriangleAlert className="icon" /> Off: your password alone signs in
    </span>
  );
}

function RequiredBy({ state: { requiredBy, enabled } }: { state: FactorState }) {
  if (requiredBy.length === 0) return null;
  return (
    <div className="body">
      <ul className="plain-list">
        {requiredBy.map(({ slug, name, from }) => (
          <li key={slug} className={enabled ? "note ok" : "note warn"}>
            <Building2 className="icon" />
            <span>
              <bdi>{name}</bdi> requires a second factor of its members
              {!enabled && (
                <>
                  {", "}from <Time value={from} />
                </>
              )}
              .
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Totp({ state: { totp }, onCodes }: PartProps) {
  const [dialog, setDialog] = useState<"add" | "remove">();
  const close = () => setDialog(undefined);
  return (
    <div className="choice">
      <div>
        <h3>Authenticator app</h3>
        <p className="sub">
          {totp ? (
            <>
              Asked for after the password. Added <Time value={totp.confirmedAt} />.
            </>
          ) : (
            "An app on your phone that shows a new code every 30 seconds, asked for after the password."
          )}
        </p>
      </div>
      <Button size="xs" variant="default" onClick={() => setDialog(totp ? "remove" : "add")}>
        {totp ? "Remove" : "Add an app"}
      </Button>
      {dialog === "add" && <TotpDialog onDone={onCodes} onClose={close} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title="Remove the authenticator app?"
          action="Remove"
          isDangerous
          run={removeTotp}
          onDone={() => {
            onCodes([]);
            close();
          }}
          onClose={close}
        >
          <p className="sub">
            Your other sessions end. Without a passkey, your password alone signs in from then on, and the
            recovery codes are removed too.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Codes({ state: { recoveryCodes, enabled }, onCodes }: PartProps) {
  const [isAsking, setAsking] = useState(false);
  if (!enabled) return null;
  const close = () => setAsking(false);
  return (
    <div className="choice">
      <div>
        <h3>Recovery codes</h3>
        <p className="sub">
          {recoveryCodes ? (
            <>
              {recoveryCodes.left} of 10 left. Made <Time value={recoveryCodes.createdAt} />. Each works once.
            </>
          ) : (
            "If you lose your device."
          )}
        </p>
      </div>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        Generate new codes
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Make new recovery codes?"
          action="Generate new codes"
          run={renewRecoveryCodes}
          onDone={(made) => {
            onCodes(made.recoveryCodes);
            close();
          }}
          onClose={close}
        >
          <p className="sub">The previous codes stop working at once.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
