#ifndef EDGEWISE_C_EDGEWISE_H
#define EDGEWISE_C_EDGEWISE_H

/*! @file
 *  Trained models in C, and in whatever calls C. No exception leaves these functions, and none of them prints or exits.
 *  Texts are UTF-8 and end with a zero. */

#ifdef __cplusplus
extern "C" {
#endif

/*! A model with the data that it is used on. Several threads may use different ones at the same time, but not one. */
typedef struct edgewise_model edgewise_model;

/*! Opens the file of a trained model, and reads what it is used on: its training data, or what `settings` says, a JSON
 *  object as configuration files are, such as {"data": {"nodes": "new.csv"}}; NULL: nothing. Returns NULL if that
 *  fails; `error`, unless NULL, then receives one line, to be freed by edgewise_free_text. */
edgewise_model* edgewise_open(const char* path, const char* settings, char** error);

/*! Answers a request for predictions or for an explanation, both JSON (see train::Answerer and docs/serve.md), also one
 *  that is wrong or NULL, and for a model that is NULL: {"error": "..."}. To be freed by edgewise_free_text; NULL only
 *  if memory runs out. */
char* edgewise_answer(edgewise_model* model, const char* request);

/*! Both take NULL as well. */
void edgewise_free_text(char* text);
void edgewise_close(edgewise_model* model);

/*! "0.1.0" */
const char* edgewise_version(void);

#ifdef __cplusplus
}
#endif

#endif
