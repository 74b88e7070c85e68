import { Button, Modal, PasswordInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { factorsQuery, reauthenticate, type FactorKind, type FactorState } from "../../api/second-factors.ts";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { FactorForm } from "../../parts/factor-form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { providerSignIn } from "../../parts/proof/provider-sign-in.ts";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";

/** Confirms who the user is before a change that could take the account over. The change then continues. */
export function VerifyAgain({ onDone }: { onDone: (isVerified: boolean) => void }) {
  const state = useQuery({ ...factorsQuery, staleTime: 0 });
  const verify = useMutation({ mutationFn: reauthenticate, onSuccess: () => onDone(true) });
  const cancel = () => onDone(false);
  const { data } = state;
  return (
    <Modal opened onClose={cancel} title="Confirm it is you" closeOnClickOutside={false} zIndex={500}>
      <div className="stack g4" data-mantine-stop-propagation>
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
        {data?.enabled === false && data.providerStart === null && (
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

/** For an account without password and factor. The sign-in is in another tab, so that nothing typed here is lost. */
function ProviderStep(props: { start: string; onDone: () => void; onCancel: () => void }) {
  return (
    <>
      <p>
        Your account has no password: sign in by your identity provider again, in a new tab. Then continue
        here.
      </p>
      <div className="row wrap end">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button
          variant="default"
          component="a"
          href={providerSignIn(props.start)}
          target="_blank"
          rel="noopener"
        >
          Open the sign-in
        </Button>
        <Button onClick={props.onDone}>Continue</Button>
      </div>
    </>
  );
}

function kindsOf({ totp, passkeys, passkeysAvailable, recoveryCodes }: FactorState): FactorKind[] {
  return [
    ...(totp ? (["totp"] as const) : []),
    ...(passkeysAvailable && passkeys.length > 0 ? (["passkey"] as const) : []),
    ...(recoveryCodes ? (["recovery"] as const) : []),
  ];
}
