import { Modal, PasswordInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  factorsQuery,
  reauthenticate,
  type FactorKind,
  type FactorState,
} from "../../../api/account/second-factors.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { FactorForm } from "../../../parts/forms/factor-form.tsx";
import { ChoosePassword } from "../../../parts/proof/choose-password.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { ProviderStep } from "./provider-step.tsx";

/** Confirms who the user is before a change that could take the account over. The change then continues. */
export function VerifyAgain({ onDone }: { onDone: (isVerified: boolean) => void }) {
  const state = useQuery({ ...factorsQuery, staleTime: 0 });
  const verify = useMutation({ mutationFn: reauthenticate, onSuccess: () => onDone(true) });
  const cancel = () => onDone(false);
  const { data } = state;
  return (
    <Modal opened onClose={cancel} title="Confirm it is you" closeOnClickOutside={false} zIndex={500}>
      <div className="stack gap-4" data-mantine-stop-propagation>
        <p className="sub">
          This change could affect who can use your account or organization. You are not asked again for ten
          minutes.
        </p>
        <Problem error={state.error} retry={() => void state.refetch()} />
        {state.isPending && <SkeletonRows rows={2} />}
        {data?.enabled === true && (
          <FactorForm
            label="Confirm it is you"
            kinds={kindsOf(data)}
            cancel="Cancel"
            error={verify.error}
            isPending={verify.isPending}
            onProof={(proof) => verify.mutate(proof)}
            onCancel={cancel}
          />
        )}
        {data && data.providerStart !== null && (
          <ProviderStep start={data.providerStart} onDone={() => onDone(true)} onCancel={cancel} />
        )}
        {data && hasNoProof(data) && (
          <>
            <p>
              Your account has neither a password nor a second factor, and no identity provider signs you in
              to this session. Choose a password, sign in with it, and try again.
            </p>
            <ChoosePassword />
          </>
        )}
        {data?.enabled === false && data.hasPassword && (
          <DialogForm
            label="Confirm it is you"
            action="Confirm"
            isPending={verify.isPending}
            error={verify.error}
            onSubmit={({ password = "" }) => verify.mutate({ password })}
            onClose={cancel}
          >
            <PasswordInput
              name="password"
              label="Password"
              autoComplete="current-password"
              required
              data-autofocus
            />
          </DialogForm>
        )}
      </div>
    </Modal>
  );
}

/** An account that an identity provider has created, in a session that it can't confirm. */
const hasNoProof = ({ enabled, hasPassword, providerStart }: FactorState) =>
  !enabled && !hasPassword && providerStart === null;

function kindsOf({ totp, passkeys, passkeysAvailable, recoveryCodes }: FactorState): FactorKind[] {
  return [
    ...(totp ? (["totp"] as const) : []),
    ...(passkeysAvailable && passkeys.length > 0 ? (["passkey"] as const) : []),
    ...(recoveryCodes ? (["recovery"] as const) : []),
  ];
}
