import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Problem } from "../states/problem.tsx";
import { Form } from "./form.tsx";

interface Props {
  label: string;
  /** Label of the button that submits. */
  action: string;
  isDangerous?: boolean;
  /** False while something is missing: the form can't be submitted. */
  isReady?: boolean;
  isPending: boolean;
  /** *Cancel* has the focus at first, in place of a field. */
  isCancelFocused?: boolean;
  error: unknown;
  /** Names of fields that show their own problem. */
  fields?: readonly string[];
  onSubmit: (values: Record<string, string>) => void;
  onClose: () => void;
  children: ReactNode;
}

/** The form in a dialog: fields, the failure that no field shows, *Cancel*, and the button that submits. */
export function DialogForm({ isReady = true, isPending, ...props }: Props) {
  const { label, action, error, onSubmit, onClose } = props;
  return (
    <Form label={label} error={error} onSubmit={(values) => isReady && !isPending && onSubmit(values)}>
      {props.children}
      <Problem error={error} fields={props.fields} />
      <div className="row wrap end">
        <Button variant="default" data-autofocus={props.isCancelFocused ? true : undefined} onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          color={props.isDangerous ? "danger" : "ink"}
          loading={isPending}
          disabled={!isReady}
        >
          {action}
        </Button>
      </div>
    </Form>
  );
}
