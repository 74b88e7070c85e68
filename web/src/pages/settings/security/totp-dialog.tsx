import { Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { beginTotp, confirmTotp } from "../../../api/account/second-factors.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";

interface Props {
  onDone: (recoveryCodes: string[]) => void;
  onClose: () => void;
}

/** Adds an authenticator app: its secret as a QR code and as text, then a code that proves that the app has it. */
export function TotpDialog({ onDone, onClose }: Props) {
  const setup = useQuery({
    queryKey: ["totp-setup"],
    queryFn: beginTotp,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const confirm = useMutation({
    mutationFn: confirmTotp,
    onSuccess: ({ recoveryCodes }) => {
      onClose();
      onDone(recoveryCodes);
    },
  });
  return (
    <Modal opened onClose={onClose} title="Add an authenticator app" closeOnClickOutside={false}>
      <div className="stack gap-4">
        <Loaded found={setup} rows={3} rowHeight={56}>
          {({ qr, secret }) => (
            <DialogForm
              label="Add an authenticator app"
              action="Confirm"
              isPending={confirm.isPending}
              error={confirm.error}
              onSubmit={({ code = "" }) => confirm.mutate(code)}
              onClose={onClose}
            >
              <p>Scan this code with your app, or type the key into it.</p>
              <img
                className="totp-code"
                src={`data:image/svg+xml;base64,${btoa(qr)}`}
                width={200}
                height={200}
                alt="QR code with the key below"
              />
              <Command text={secret} />
              <TextInput
                name="code"
                label="Code"
                description="The six digits that the app shows now"
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={10}
                required
                data-autofocus
              />
            </DialogForm>
          )}
        </Loaded>
      </div>
    </Modal>
  );
}
