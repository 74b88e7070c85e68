import { Button, Group, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "../../api/client.ts";
import { identityQuery } from "../../api/session.ts";
import { isUser } from "../../api/sign-in-again.ts";
import { fieldError, Form } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { beginDrafts } from "../editor/drafts/drafts.ts";

const fields = ["email", "password"] as const;

/** The sign-in over a page whose session has ended. What was typed below it stays, and its request continues. */
export function SignInAgain({ onDone }: { onDone: (isSignedIn: boolean) => void }) {
  const client = useQueryClient();
  const { data: identity } = useQuery({ ...identityQuery, enabled: false });
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      dataOf(api.POST("/api/auth/sign-in", { body })),
    onSuccess: (user) => {
      // Another user must neither see what was loaded nor send what the first one typed.
      if (!isUser(user.id)) {
        location.reload();
        return;
      }
      beginDrafts(user.id);
      client.setQueryData(identityQuery.queryKey, user);
      onDone(true);
    },
  });
  const leave = () => onDone(false);
  return (
    <Modal opened onClose={leave} title="Sign in again" closeOnClickOutside={false} zIndex={500}>
      <div className="stack g4" data-mantine-stop-propagation>
        <p className="sub">
          Your session has ended. What you typed is kept, and the page continues after the sign-in.
        </p>
        <Form
          label="Sign in again"
          error={signIn.error}
          onSubmit={({ email = "", password = "" }) => signIn.mutate({ email, password })}
        >
          <Problem error={signIn.error} fields={fields} />
          <TextInput
            name="email"
            type="email"
            label="E-mail"
            autoComplete="username"
            defaultValue={identity?.email ?? ""}
            required
            error={fieldError(signIn.error, "email")}
          />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus
            error={fieldError(signIn.error, "password")}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>
              Continue signed out
            </Button>
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
          </Group>
        </Form>
      </div>
    </Modal>
  );
}
