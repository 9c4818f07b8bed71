/* Asks a model about people. Usage: answer MODEL.safetensors NAME ... */
#include <edgewise/c/edgewise.h>
#include <stdio.h>

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: answer MODEL.safetensors NAME ...\n");
    return 2;
  }
  char *error = NULL;
  edgewise_model *model = edgewise_open(arguments[1], NULL, &error);
  if (model == NULL) {
    fprintf(stderr, "answer: %s\n", error);
    edgewise_free_text(error);
    return 1;
  }
  for (int i = 2; i < count; ++i) {
    char request[256];
    snprintf(request, sizeof request, "{\"nodes\": [\"%s\"], \"level\": 0.9}", arguments[i]);
    char *answer = edgewise_answer(model, request);
    puts(answer);
    edgewise_free_text(answer);
  }
  edgewise_close(model);
  return 0;
}
