/* Written for the header that version 0.1.0 made, and never changed: it has to
 * compile with the header of a later version. Restores the checkpoint that it
 * is given, predicts, makes a step, and shows which variables it changed. */
#include "flywheel/flywheel.h"
#include "thermostat.h"

#include <stdio.h>

static _Alignas(
    THERMOSTAT_STATE_ALIGN) unsigned char block[THERMOSTAT_STATE_BYTES];

int main(int count, char **arguments) {
  thermostat_state *s = (thermostat_state *)block;
  const float past[8] = {0.1f, 0.2f, 0.3f, 0.4f, -1.0f, 0.5f, 0.25f, 2.0f};
  float next[2] = {0.5f, 2.5f}, predicted[2], loss;
  int64_t steps = 0;
  if (count != 2 || thermostat_init(s, /*seed=*/1) ||
      thermostat_restore(s, arguments[1]))
    return puts(thermostat_last_error(s)), 1;
  if (thermostat_predict(s, past, 2, predicted))
    return puts(thermostat_last_error(s)), 1;
  printf("predicted %.5f %.5f\n", predicted[0], predicted[1]);
  if (thermostat_learn(s, past, 2, next, &loss))
    return puts(thermostat_last_error(s)), 1;
  if (thermostat_get_variable(s, "steps", &steps, sizeof steps))
    return puts(thermostat_last_error(s)), 1;
  printf("loss %.5f after %d steps\n", loss, (int)steps);
  return 0;
}
