/** An error of RFC 6749, section 5.2, or RFC 8628, section 3.5. */
export class DeviceError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.name = "DeviceError";
    this.code = code;
  }
}
