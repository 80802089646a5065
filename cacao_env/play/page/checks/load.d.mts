export function loadForTests(): Promise<any>;
