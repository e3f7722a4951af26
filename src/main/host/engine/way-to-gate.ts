/** The way out of a program that reaches the gate and nothing else. The program itself learns neither. */
export interface WayToGate {
  /** Port of the gate on the loopback address. */
  readonly port: number;
  /** What proves to the gate which bot speaks. */
  readonly identity: string;
}
